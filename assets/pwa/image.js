// A short-lived module worker: makes the image of Python's memory for later starts, says so, and is ended.
import { makeImage } from "./quick.js";

self.onmessage = async ({ data }) => {
  try {
    self.postMessage({ made: await makeImage(data) });
  } catch (error) {
    self.postMessage({ failed: String(error) });
  }
};
