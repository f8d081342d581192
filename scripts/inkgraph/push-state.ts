import { appendFile, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { UsageError } from '#scripts/cli/with-app.ts';
import type { FoundFile } from './find-files.ts';

const Line = z.union([
  z.object({ path: z.string(), size: z.number(), modifiedMs: z.number(), sha256: z.string() }),
  z.object({ server: z.string(), sha256: z.string(), objectKey: z.string() }),
]);

/**
 * Memory of a push beside its files: digests of files, and uploads whose document may not exist yet. One line of JSON for each fact,
 * appended: a push that is killed leaves at most half a line, which the next one skips. The server decides about everything else.
 */
export class PushState {
  readonly #file: string;
  readonly #server: string;
  readonly #digests = new Map<string, string>();
  readonly #stored = new Map<string, string>();

  private constructor(file: string, server: string) {
    this.#file = file;
    this.#server = server;
  }

  static async open(file: string, server: string): Promise<PushState> {
    const state = new PushState(file, server);
    const text = await readFile(file, 'utf8').catch(() => '');
    for (const line of text.split('\n')) state.#read(line);
    // Ends half a line of a push that was killed; and a place that cannot be written is found before anything is uploaded.
    await appendFile(file, text === '' || text.endsWith('\n') ? '' : '\n').catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      throw new UsageError(`${file} cannot be written (${code ?? 'no reason'}). Name another place with --state.`);
    });
    return state;
  }

  #read(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return;
    }
    const { data } = Line.safeParse(value);
    if (data === undefined) return;
    if ('path' in data) this.#digests.set(keyOf(data), data.sha256);
    else if (data.server === this.#server) this.#stored.set(data.sha256, data.objectKey);
  }

  digestOf(file: FoundFile): string | undefined {
    return this.#digests.get(keyOf(file));
  }

  /** Upload of these bytes that was stored; its document may exist. */
  storedAs(sha256: string): string | undefined {
    return this.#stored.get(sha256);
  }

  async keepDigest(file: FoundFile, sha256: string): Promise<void> {
    this.#digests.set(keyOf(file), sha256);
    await this.#append({ ...file, path: resolve(file.path), sha256 });
  }

  async keepStored(sha256: string, objectKey: string): Promise<void> {
    this.#stored.set(sha256, objectKey);
    await this.#append({ server: this.#server, sha256, objectKey });
  }

  async #append(line: object): Promise<void> {
    await appendFile(this.#file, `${JSON.stringify(line)}\n`);
  }
}

const keyOf = ({ path, size, modifiedMs }: FoundFile): string => `${resolve(path)}\n${size}\n${modifiedMs}`;
