import { readFile } from 'node:fs/promises';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import type { PageImage } from '#src/domain/ports/image-codec.ts';

const folder = new URL('../../fixtures/', import.meta.url);

interface Truth {
  readonly file: string;
  readonly text: string;
}

/** First page of a committed fixture, and what stands on it. */
export async function fixture(file: string): Promise<{ bytes: Buffer; page: PageImage; text: string }> {
  const truths = JSON.parse(await readFile(new URL('ground-truth.json', folder), 'utf8')) as Truth[];
  const text = truths.find((truth) => truth.file === file)?.text.split('\f')[0];
  if (text === undefined) throw new Error(`no ground truth for ${file}`);
  const bytes = await readFile(new URL(file, folder));
  return { bytes, text, page: await createImageCodec().page(bytes, 0) };
}

/** Character error rate: edits from `read` to `truth` per character of `truth`, any run of white space counting as one space. */
export function characterErrors(truth: string, read: string): number {
  const wanted = truth.replace(/\s+/g, ' ').trim();
  const given = read.replace(/\s+/g, ' ').trim();
  let previous = Array.from({ length: given.length + 1 }, (_, index) => index);
  for (let row = 1; row <= wanted.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= given.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (wanted[row - 1] === given[column - 1] ? 0 : 1);
      current.push(Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced));
    }
    previous = current;
  }
  return (previous[given.length] ?? 0) / wanted.length;
}
