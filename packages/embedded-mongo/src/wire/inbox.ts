export const MAX_MESSAGE_SIZE = 48_000_000;

/** Cuts a byte stream into messages. Chunks are joined once per message, never once per chunk. */
export class Inbox {
  #chunks: Buffer[] = [];
  #size = 0;

  /** `limit` bounds the length of one message. Throws when the stream has another protocol. */
  *take(chunk: Buffer, limit: number): Generator<Buffer> {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    while (this.#size >= 16) {
      const length = this.#peekLength();
      if (length < 16 || length > limit) throw new Error(`a message of ${length} bytes`);
      if (this.#size < length) return;
      const joined = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks, this.#size);
      this.#size -= length;
      this.#chunks = this.#size > 0 ? [joined.subarray(length)] : [];
      yield joined.subarray(0, length);
    }
  }

  #peekLength(): number {
    const [first] = this.#chunks;
    if (first && first.length >= 4) return first.readInt32LE(0);
    this.#chunks = [Buffer.concat(this.#chunks, this.#size)];
    return (this.#chunks[0] as Buffer).readInt32LE(0);
  }
}
