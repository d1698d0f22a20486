"""Knows where the assets are, and nothing else: beside the package in a checkout, inside it in a wheel.

The wheel carries ``assets/`` as ``sync/_assets``; an editable install has no such folder, because build
backends do not apply it there. Every reader of an asset asks here.
"""

from pathlib import Path


def assets() -> Path:
    """The folder that holds ordinance/, locale/, fonts/, icons/, pwa/ and console/.

    Raises FileNotFoundError when neither place has it, which is a broken installation.
    """
    here = Path(__file__).resolve().parent
    for place in (here / "_assets", here.parent / "assets"):
        if place.is_dir():
            return place
    raise FileNotFoundError(f"no assets beside {here}: the installation is incomplete, install it again")


def pack_files(name: str) -> dict[str, str]:
    """The texts of the shipped ordinance pack ``name`` by file name, for ``sync.ordinance.pack.load_pack``.

    Raises FileNotFoundError naming the packs there are.
    """
    home = assets() / "ordinance"
    known = sorted(place.name for place in home.iterdir() if (place / "pack.toml").is_file())
    if name not in known:
        raise FileNotFoundError(f"no ordinance pack {name!r}; there are: {', '.join(known)}")
    return {place.name: place.read_text(encoding="utf-8") for place in sorted((home / name).glob("*.toml"))}
