import { parentPort } from 'node:worker_threads';
import { renderPdfPage, readPdfFacts } from '#src/adapters/images/pdf-render.ts';

/** Entry point of the thread that renders PDFs. It speaks the protocol of guarded-thread.ts and gets one call at a time. */
interface Packet {
  readonly jobId: number;
  readonly action: 'facts' | 'page';
  readonly payload: { readonly bytes: Uint8Array; readonly index: number };
}

parentPort?.on('message', (packet: Packet) => {
  void answer(packet);
});

async function answer({ jobId, action, payload }: Packet): Promise<void> {
  try {
    if (action === 'facts') {
      parentPort?.postMessage({ jobId, status: 'resolve', data: await readPdfFacts(payload.bytes) }, []);
    } else {
      const data = await renderPdfPage(payload.bytes, payload.index);
      parentPort?.postMessage({ jobId, status: 'resolve', data }, [data.pixels.buffer]);
    }
  } catch (error) {
    parentPort?.postMessage({ jobId, status: 'reject', data: error instanceof Error ? error.name : 'unknown' }, []);
  }
}
