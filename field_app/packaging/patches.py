"""Every change made to a file that flet-web 1.0.5 ships. Nothing else in the build touches their text.

Each patch names the file, what must be found there exactly once, and what stands there afterwards. When the text
is not found, or more than once, the build stops: an upgrade of flet-web has changed it, and the reason given with
the patch says what has to be looked at again.
"""

import re
from dataclasses import dataclass
from pathlib import Path


class PatchError(Exception):
    """A patch did not find its target: flet-web has changed."""


@dataclass(frozen=True, slots=True)
class Patch:
    """One replacement in one file; `find` is a regular expression, `put` is taken literally."""

    name: str
    file: str
    find: str
    put: str
    why: str

    def apply(self, text: str) -> str:
        """The patched text. Raises PatchError unless `find` occurs exactly once."""
        found = re.findall(self.find, text, re.DOTALL)
        if len(found) != 1:
            raise PatchError(
                f"patch {self.name!r} found its target {len(found)} times in {self.file} instead of once. "
                f"flet-web has changed; look again at why the patch exists: {self.why}"
            )
        return re.sub(self.find, lambda _: self.put, text, count=1, flags=re.DOTALL)


# Scripts with a font of their own in assets/pwa/fonts. What is in none of these fonts, nor in han, hangul, emoji or
# signs, is still shown as a box.
SCRIPTS = ("Arabic", "Armenian", "Devanagari", "Georgian", "Gurmukhi", "Hebrew", "Khmer", "Lao", "Myanmar",
           "Pahawh Hmong", "Tamil", "Thai")

PATCHES = (
    Patch(
        name="the page's own words stay until Python runs",
        file="flutter_bootstrap.js",
        find=r"window\.addEventListener\('flutter-first-frame', \(\) => \{\n    document\.getElementById\('loading'\)\?"
        r"\.remove\(\);\n\}, \{ once: true \}\);\n",
        put="",
        why="Flet's first frame says only \"Working...\", as long as Python is fetched and started. The page says what "
        "is done and how far it is (start.js), and takes its words away itself.",
    ),
    Patch(
        name="no worker of Flutter's own",
        file="flutter_bootstrap.js",
        find=r"\n    serviceWorkerSettings: \{\n.*?\n    \},",
        put="",
        why="Flutter's loader would register its clean-up worker at our scope; that one unregisters ours and "
        "reloads every page (8 reloads and 24 s to start were seen).",
    ),
    Patch(
        name="no script from a CDN",
        file="main.dart.js",
        find=r'(?<=\n)k\.src=A\.\w+\(\)\+a\nk\.type="application/javascript"\nk\.defer=!0\nl\.document\.body\.append\(k\)\n',
        put="",
        why="The client asks jsdelivr for the Rive player at each start. Without the script tag its promise never "
        "settles, which is what happens offline too; nothing waits for it.",
    ),
    Patch(
        name="no address of a CDN",
        file="main.dart.js",
        find=r"https://cdn\.jsdelivr\.net/npm/@rive-app/flutter-native-wasm@[0-9.]+/",
        put="",
        why="No committed or built file of ours names a foreign host that could be asked for code.",
    ),
    Patch(
        name="fonts that are here for signs that Roboto lacks",
        file="main.dart.js",
        find=r"(?<=\n)i=A\.iE\(\)\.gaGE\(\)\+j\n",
        put=r'i=A.iE().gaGE()+"spare/"+(/ (SC|TC|HK|JP)\b/.test(k.a)?"han":/ KR\b/.test(k.a)?"hangul":'
        r'/Emoji/.test(k.a)?"emoji":k.a==="Noto Sans"?"devanagari":'
        f"/^Noto Sans ({'|'.join(SCRIPTS)})$/.test(k.a)?"
        'k.a.slice(10).replaceAll(" ","").toLowerCase():"signs")+".woff2"\n',
        why="Flutter asks Google for one of 700 pieces of Noto when a sign is typed that no font has: nobody answers. "
        "It asks for one of the few fonts in assets/pwa/fonts instead (k.a is the name of the piece, j its address; "
        "what Roboto lacks and Noto Sans has is Devanagari).",
    ),
    Patch(
        name="each of those fonts is taken once",
        file="main.dart.js",
        find=r"(?<=\n)a_V\(a,b\)\{return this\.bJN\(a,b\)\},\n",
        put="a_V(a,b){var s=self.spareFonts||(self.spareFonts={})\nreturn s[b]||(s[b]=this.bJN(a,b))},\n",
        why="A hundred pieces of Flutter's list are one font of ours: each would be fetched and kept once more.",
    ),
    Patch(
        name="hand the page's port to the worker",
        file="python.js",
        find=r"        pythonModuleName: flet\.pythonModuleName\n    \}\);",
        put="        pythonModuleName: flet.pythonModuleName,\n"
        "        pagePort: flet.pagePort,\n"
        "        pageFacts: flet.pageFacts\n"
        "    }, flet.pagePort ? [flet.pagePort] : []);",
        why="Python needs a private way to its own page (enrolment code, saving files, versions); a broadcast "
        "would reach other tabs too.",
    ),
    Patch(
        name="keep the page's port in the worker",
        file="python-worker.js",
        find=r"        self\.pythonModuleName = event\.data\.pythonModuleName;\n        await self\.initPyodide\(\);\n",
        put="        self.pythonModuleName = event.data.pythonModuleName;\n"
        "        self.pagePort = event.data.pagePort;\n"
        "        self.pageFacts = event.data.pageFacts;\n"
        "        await self.initPyodide();\n",
        why="The other end of the patch in python.js.",
    ),
    Patch(
        name="start Python from its image",
        file="python-worker.js",
        find=r"        self\.pyodide = await loadPyodide\(\{\n",
        put='        self.quick = await import(new URL("quick.js", self.location.href));\n'
        "        self.pyodide = await self.quick.load(loadPyodide, self.pageFacts, {\n",
        why="Python's own start is the largest part of ours; quick.js takes it from an image of its memory when there "
        "is a good one (Pyodide's _loadSnapshot, which is not a public option: look at it again on an upgrade).",
    ),
    Patch(
        name="unpack the app in JavaScript",
        file="python-worker.js",
        find=r"            await response\.unpack_archive\(format=_archive_format\)\n",
        put="            import importlib, js\n"
        "            await js.quick.unpack(\n"
        "                js.pyodide, await response.js_response.arrayBuffer(), js.pageFacts, os.getcwd()\n"
        "            )\n"
        "            importlib.invalidate_caches()\n"
        "            sys.dont_write_bytecode = False\n",
        why="Python's tarfile needs about a second for the thousand files of the app. The bytecode kept from an "
        "earlier start has to be there before the first import; what is compiled anew is written, to be kept.",
    ),
    Patch(
        name="a good start is reported to the worker",
        file="python-worker.js",
        find=r'        await self\.initPyodide\(\);\n    \} else if \(typeof flet_js\.send === "function"\) \{\n',
        put='        await self.initPyodide();\n    } else if (event.data && event.data.siltwatch === "good") {\n'
        "        self.quick.good(self.pyodide, self.pageFacts, event.data.keep).catch(console.warn);\n"
        '    } else if (typeof flet_js.send === "function") {\n',
        why="The page says when Python runs, so that the image counts as good, and when the bytecode may be kept.",
    ),
    Patch(
        name="the page can tell the worker",
        file="python.js",
        find=r'        \{ type: "module" \}\);\n\n    var error;\n',
        put='        { type: "module" });\n    flet.pythonWorker = app.worker;\n\n    var error;\n',
        why="The other end of the patch before.",
    ),
)


def patch(folder: Path) -> None:
    """Apply every patch to the client in `folder`. Raises PatchError, naming the patch and its reason."""
    for file in sorted({patch.file for patch in PATCHES}):
        text = (folder / file).read_text("utf-8")
        for one in PATCHES:
            if one.file == file:
                text = one.apply(text)
        (folder / file).write_text(text, "utf-8")
