// Uploads one file with tus-js-client as its documentation shows it, and tells on stdout what happened as one JSON line.
// Its one argument is JSON: endpoint, file, headers, metadata, and what differs from test to test:
//   storage: where addresses of begun uploads are kept; resume: go on with the one that is kept there
//   abortAfter: stop (as a closed page does) once so many bytes are acknowledged; options: further options of tus.Upload
import fs from "node:fs";
import * as tus from "tus-js-client";

const ask = JSON.parse(process.argv[2]);
const told = { requests: [], offsets: [], retries: 0, error: null, done: false, url: null };
const storage = ask.storage ? new tus.FileUrlStorage(ask.storage) : undefined;

function tell(code) {
  process.stdout.write(`${JSON.stringify(told)}\n`, () => process.exit(code));
}

const upload = new tus.Upload(fs.createReadStream(ask.file), {
  endpoint: ask.endpoint,
  headers: ask.headers,
  metadata: ask.metadata,
  uploadSize: fs.statSync(ask.file).size,
  urlStorage: storage,
  storeFingerprintForResuming: Boolean(storage),
  removeFingerprintOnSuccess: true,
  retryDelays: [20, 20, 20, 20, 20, 20],
  onBeforeRequest: (request) => {
    told.requests.push(request.getMethod());
  },
  onAfterResponse: (_request, response) => {
    const offset = response.getHeader("Upload-Offset");
    if (offset !== undefined && offset !== null) told.offsets.push(Number(offset));
    const receipt = response.getHeader("Siltwatch-Receipt");
    if (receipt) told.receipt = receipt;
  },
  onShouldRetry: (_error, attempt) => {
    told.retries = attempt + 1;
    return true;
  },
  onChunkComplete: (_size, accepted) => {
    if (ask.abortAfter !== undefined && accepted >= ask.abortAfter) {
      upload.abort().then(() => tell(0));
    }
  },
  onSuccess: () => {
    told.done = true;
    told.url = upload.url;
    tell(0);
  },
  onError: (error) => {
    told.error = String(error);
    tell(1);
  },
  ...ask.options,
});

if (ask.resume) {
  const [previous] = await upload.findPreviousUploads();
  if (!previous) throw new Error("no earlier upload is known");
  upload.resumeFromPreviousUpload(previous);
}
upload.start();
