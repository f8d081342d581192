import { Problem, unreachable } from './problem.ts';
import { send, type Connection } from './request.ts';

/** Bytes that were sent, and all bytes. */
export type OnProgress = (sent: number, total: number) => void;

export interface Put {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Blob;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: OnProgress | undefined;
}

/** The part of XMLHttpRequest that is used here: the types of this package are those of Node. */
interface Xhr {
  readonly upload: {
    addEventListener(
      type: 'progress',
      seen: (event: { readonly loaded: number; readonly total: number }) => void,
    ): void;
  };
  readonly status: number;
  readonly responseText: string;
  addEventListener(type: 'load' | 'error', seen: () => void): void;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: Blob): void;
  abort(): void;
}

const failed = (status: number): Problem =>
  new Problem(status, { detail: `The object store responded with ${status}. Upload the file again.` });

/** Browsers report the progress of an upload here alone. */
function putByXhr(xhr: Xhr, { url, headers, bytes, signal, onProgress }: Put): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      xhr.abort();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', abort, { once: true });
    xhr.upload.addEventListener('progress', ({ loaded, total }) => onProgress?.(loaded, total));
    xhr.addEventListener('error', () => reject(unreachable(url, null)));
    xhr.addEventListener('load', () => (xhr.status < 300 ? resolve() : reject(failed(xhr.status))));
    xhr.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.send(bytes);
  });
}

/** Counts what passes. */
function counted(bytes: Blob, onProgress: OnProgress): ReadableStream<Uint8Array> {
  let sent = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      sent += chunk.length;
      onProgress(sent, bytes.size);
    },
  });
  return bytes.stream().pipeThrough(count);
}

/** PUTs bytes to a presigned URL, once. Throws `Problem`. */
export async function put(connection: Pick<Connection, 'fetch'>, asked: Put): Promise<void> {
  const { url, headers, bytes, signal, onProgress } = asked;
  const { XMLHttpRequest: Constructor } = globalThis as { XMLHttpRequest?: new () => Xhr };
  if (onProgress !== undefined && Constructor !== undefined) return putByXhr(new Constructor(), asked);
  const request = { method: 'PUT', headers, ...(signal !== undefined && { signal }) };
  // The store takes no body of unknown length, and a stream has its length in a header, which browsers forbid.
  const isNode =
    typeof (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node === 'string';
  const streamed =
    onProgress === undefined || !isNode
      ? { body: bytes }
      : {
          headers: { ...headers, 'content-length': String(bytes.size) },
          body: counted(bytes, onProgress),
          duplex: 'half' as const,
        };
  const response = await send(connection, url, { ...request, ...streamed }).catch((error: unknown) => {
    throw error instanceof Problem && error.status > 0 ? failed(error.status) : error;
  });
  await response.body?.cancel();
}
