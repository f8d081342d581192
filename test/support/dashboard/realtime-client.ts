import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { once } from 'node:events';

export interface Told {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: any;
}

/** One reader of a stream of server-sent events, as the HTML standard reads them. */
export interface RealtimeClient extends Disposable {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly told: readonly Told[];
  /** As `EventSource` keeps it: what it would send to go on. */
  readonly lastId: string;
  /** All that came, as it came. */
  readonly text: string;
  /** Settles when the server or the client ended it. */
  readonly ended: Promise<void>;
  /** Settles when `enough` holds; rejects when the stream ends before. */
  until(enough: (client: RealtimeClient) => boolean): Promise<void>;
  /** The next event that fits, those that came already included. */
  event(fits: (told: Told) => boolean): Promise<Told>;
  close(): void;
}

class Client implements RealtimeClient {
  readonly told: Told[] = [];
  lastId = '';
  text = '';
  readonly ended: Promise<void>;
  readonly #response: IncomingMessage;
  #rest = '';
  #over = false;
  readonly #waiting = new Set<() => void>();

  constructor(response: IncomingMessage) {
    this.#response = response;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.#read(chunk));
    response.on('error', () => undefined);
    response.once('close', () => {
      this.#over = true;
      resolve();
      for (const wake of this.#waiting) wake();
    });
  }

  get status(): number {
    return this.#response.statusCode ?? 0;
  }

  get headers(): IncomingHttpHeaders {
    return this.#response.headers;
  }

  async until(enough: (client: RealtimeClient) => boolean): Promise<void> {
    while (!enough(this)) {
      if (this.#over) throw new Error(`the stream ended after ${this.told.length} events: ${this.text.slice(-500)}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      await promise;
      this.#waiting.delete(resolve);
    }
  }

  async event(fits: (told: Told) => boolean): Promise<Told> {
    await this.until(({ told }) => told.some(fits));
    const found = this.told.find(fits);
    if (found === undefined) throw new Error('an event went away');
    return found;
  }

  close(): void {
    this.#response.destroy();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #read(chunk: string): void {
    this.text += chunk;
    const blocks = (this.#rest + chunk).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) this.#block(block);
    for (const wake of this.#waiting) wake();
  }

  #block(block: string): void {
    let [event, id]: [string | undefined, string | undefined] = [undefined, undefined];
    const data: string[] = [];
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      const [name, value] = [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
      if (name === 'id') id = value;
      if (name === 'event') event = value;
      if (name === 'data') data.push(value);
    }
    if (id !== undefined) this.lastId = id;
    if (data.length > 0) this.told.push({ id, event: event ?? 'message', data: JSON.parse(data.join('\n')) });
  }
}

/** Opens a stream; settles with the head of the answer. */
export async function listenTo(url: URL | string, headers: Record<string, string>): Promise<RealtimeClient> {
  const asked = request(url, { headers, agent: false });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return new Client(response);
}
