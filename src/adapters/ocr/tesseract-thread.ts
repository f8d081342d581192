import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { trimAnswer } from '#src/adapters/ocr/tesseract-layout.ts';

/**
 * Entry point of the thread of Tesseract: the worker script of tesseract.js, whose answers are trimmed before they are copied to the main
 * thread. It sends a hundred progress messages a page, and each letter with all of its choices.
 */
if (parentPort !== null) {
  const post = parentPort.postMessage.bind(parentPort);
  parentPort.postMessage = (packet: { readonly status: string; readonly data: unknown }) => {
    if (packet.status !== 'progress') post({ ...packet, data: trimAnswer(packet.data) }, []);
  };
  createRequire(import.meta.url)('tesseract.js/src/worker-script/node/index.js');
}
