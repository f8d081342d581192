import sharp from 'sharp';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Client } from '@modelcontextprotocol/client';
import { modernClient } from '#test/mcp/listener.ts';
import { fixture, startTestApp, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

type Box = readonly [x: number, y: number, width: number, height: number];

let app: TestApp;
let agent: Client;
let documentId: string;
const use = async (name: string, input: Record<string, unknown>): Promise<any> => {
  const result = await agent.callTool({ name, arguments: input });
  expect(result.isError, JSON.stringify(result.content)).not.toBe(true);
  return result;
};
/** Lines of the document as they are stored, with the height of a usual one. */
let lines: { text: string; box: Box; words: { text: string; box: Box }[] }[];

beforeAll(async () => {
  app = await startTestApp();
  agent = await modernClient(new URL('/mcp', app.addresses.mcp), app.seed.agentKey);
  ({ id: documentId } = await app.ingest(await fixture('receipt.jpg'), 'image/jpeg'));
  await app.app.idle();
  const [newest] = await app.app.deps.results.listOcr(app.seed.organizationId, documentId, 1);
  lines = (newest?.result.pages[0]?.lines ?? []) as unknown as typeof lines;
  expect(lines.length).toBeGreaterThan(3);
}, 90_000);
afterAll(async () => {
  await agent.close();
  await app[Symbol.asyncDispose]();
});

const isWithin = (inner: Box, outer: Box, slack = 0.002): boolean =>
  inner[0] >= outer[0] - slack &&
  inner[1] >= outer[1] - slack &&
  inner[0] + inner[2] <= outer[0] + outer[2] + slack &&
  inner[1] + inner[3] <= outer[1] + outer[3] + slack;

/** A word that occurs once, with its line. */
function rareWord() {
  const all = lines.flatMap((line) => line.words.map((word) => ({ line, word })));
  const rare = all.find(
    ({ word }) =>
      /^[A-Za-z]{6,}$/.test(word.text) &&
      all.filter((other) => other.word.text.toLowerCase().startsWith(word.text.toLowerCase().slice(0, 4))).length === 1,
  );
  if (rare === undefined) throw new Error('the fixture has no word that occurs once');
  return rare;
}

verifies('mcp.places', async () => {
  const { line, word } = rareWord();
  const found = await use('search_documents', { query: word.text });
  const highlight = found.structuredContent.documents[0].highlights.find((one: any) => one.field === 'ocr');
  expect(highlight).toMatchObject({ page: 0 });
  expect(highlight.boxes).toHaveLength(1);
  const [box] = highlight.boxes as [Box];
  expect(isWithin(word.box, box) && isWithin(box, line.box)).toBe(true);
  expect(box[3]).toBeLessThanOrEqual(1.5 * line.box[3]);
  // The dashboard's cards are the same.
  const query = `organizationId=${app.seed.organizationId}&query=${word.text}`;
  const { body: cards } = await app.call('GET', `/api/dashboard/documents?${query}`, { cookie: await app.signIn() });
  expect(cards.documents[0].highlights.find((one: any) => one.field === 'ocr')).toEqual(highlight);

  const read = (await use('read_document_text', { documentId, pages: [0], boxes: true, limit: 20_000 }))
    .structuredContent;
  expect(read.lines.map((one: any) => one.lineText)).toEqual(
    lines.map(({ text }) => text).filter((text) => text !== ''),
  );
  const same = read.lines.find((one: any) => one.lineText === line.text);
  expect(same).toMatchObject({ page: 0 });
  expect(isWithin(same.box, line.box) && isWithin(line.box, same.box)).toBe(true);
  expect(same.words.map((one: any) => one.wordText)).toEqual(line.words.map(({ text }) => text));

  const answer = (await use('ask_documents', { question: `What is the total?`, documentIds: [documentId] }))
    .structuredContent;
  const excerpt = answer.sources[0].excerpts.find((one: any) => one.boxes !== undefined);
  expect(excerpt.page).toBe(0);
  for (const one of excerpt.boxes) {
    const tallest = Math.max(...lines.map((known) => (isWithin(one, known.box, 0.01) ? known.box[3] : 0)));
    expect(one[3]).toBeLessThanOrEqual(1.5 * tallest);
  }

  // Outlines stand around the word.
  const plain = await use('view_document_image', { documentId });
  const drawn = await use('view_document_image', { documentId, boxes: [box] });
  const pixels = async (result: any) => {
    const image = result.content.find((block: any) => block.type === 'image');
    return sharp(Buffer.from(image.data, 'base64'))
      .removeAlpha()
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
  };
  const [before, after] = [await pixels(plain), await pixels(drawn)];
  const { width, height } = after.info;
  const isRed = ({ data }: typeof after, x: number, y: number): boolean => {
    const at = (Math.round(y) * width + Math.round(x)) * 3;
    return (data[at] ?? 0) > 130 && (data[at + 1] ?? 0) < 110 && (data[at + 2] ?? 0) < 110;
  };
  const redIn = (image: typeof after, [x, y, wide, high]: Box): number => {
    let count = 0;
    for (let row = y * height - 8; row < (y + high) * height + 8; row += 1)
      for (let column = x * width - 8; column < (x + wide) * width + 8; column += 1)
        if (isRed(image, column, row)) count += 1;
    return count;
  };
  expect(redIn(after, box)).toBeGreaterThan(width * box[2]);
  expect(redIn(before, box)).toBe(0);
});

verifies(
  'mcp.places.pages',
  async () => {
    const { id } = await app.ingest(await fixture('invoice.pdf'), 'application/pdf');
    await app.app.idle();
    const { pages } = (await use('get_document', { documentId: id })).structuredContent;
    const whole = (await use('read_document_text', { documentId: id, limit: 20_000 })).structuredContent;
    expect(whole.documentText).not.toContain('\f');
    if (pages > 1) {
      expect(whole.documentText).toMatch(new RegExp(`^\\[Page 1 of ${pages}\\]\n`));
      const last = (await use('read_document_text', { documentId: id, pages: [pages - 1], boxes: true }))
        .structuredContent;
      expect(last.documentText).toMatch(new RegExp(`^\\[Page ${pages} of ${pages}\\]\n`));
      expect(new Set(last.lines.map((one: any) => one.page))).toEqual(new Set([pages - 1]));
    }
    // Parts join to the whole.
    const parts: string[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const part: any = (await use('read_document_text', { documentId: id, offset, limit: 100 })).structuredContent;
      parts.push(part.documentText);
      offset = part.nextOffset;
    }
    expect(parts.join('')).toBe(whole.documentText);
    for (const [input, message] of [
      [{ pages: [99] }, 'pages 0 to'],
      [{ pages: [0], page: 0 }, 'not both'],
      [{ boxes: true, format: 'hocr' }, 'only for the format text'],
    ] as const) {
      const refused: any = await agent.callTool({
        name: 'read_document_text',
        arguments: { documentId: id, ...input },
      });
      expect(refused.content[0].text).toContain(message);
    }
  },
  { timeout: 60_000 },
);

verifies('mcp.workflows.by_name', async () => {
  for (const name of ['Invoices (north)', 'Letters']) await use('create_workflow', { name });
  const found = async (name: string): Promise<string[]> =>
    (await use('list_workflows', { name })).structuredContent.workflows.map((one: any) => one.name);
  expect(await found('invoices (N')).toEqual(['Invoices (north)']);
  expect(await found('.*')).toEqual([]);
  const first = (await use('list_workflows', { name: 'e', limit: 1 })).structuredContent;
  expect(
    (await use('list_workflows', { name: 'e', limit: 1, cursor: first.nextCursor })).structuredContent.workflows,
  ).toHaveLength(1);
});
