import { fact, type Job } from '#scripts/eval/job.ts';
import type { EvalWorld } from '#scripts/eval/world.ts';

interface ShownDocument {
  readonly title: string | null;
  readonly visibility: string;
  readonly tags: readonly string[];
}

const shown = (world: EvalWorld, documentId: string): Promise<ShownDocument> =>
  world.use('get_document', { documentId });

type Box = readonly [x: number, y: number, width: number, height: number];
interface Placed {
  readonly value: unknown;
  readonly page: number;
  readonly box: Box;
}

/** Reads a JSON object out of an answer in words. */
function placedIn(answer: string): Placed | null {
  const json = /\{[^{}]*\}/.exec(answer)?.[0];
  if (json === undefined) return null;
  try {
    return JSON.parse(json) as Placed;
  } catch {
    return null;
  }
}

const receiptNumber = '004-118273';
/** Highest box that still shows one line and not two. */
const linesHigh = 1.5;

const oneTiny = async (world: EvalWorld) => {
  const [documentId = ''] = await world.tinyDocuments(1);
  return { documentId };
};
const receipt = async (world: EvalWorld) => ({ documentId: await world.readDocument('receipt.jpg') });

/** Finds, reads and keeps documents. */
export const documentJobs: readonly Job[] = [
  {
    name: 'fact-with-place',
    task: 'What is the "Receipt No." on document {documentId}, and where on the page does it stand? Answer with JSON such as {"value": "...", "page": 0, "box": [x, y, width, height]}.',
    prepare: receipt,
    async check(world, facts, answer) {
      const said = placedIn(answer);
      if (said === null || !String(said.value).includes(receiptNumber)) return `answer: ${answer}`;
      const { lines } = await world.use<{ lines: { lineText: string; page: number; box: Box }[] }>(
        'read_document_text',
        { documentId: fact(facts, 'documentId'), boxes: true, limit: 20_000 },
      );
      const line = lines.find(({ lineText }) => lineText.includes(receiptNumber));
      if (line === undefined) return 'the document was not read';
      const [, top, , height] = said.box;
      const [, lineTop, , lineHeight] = line.box;
      if (said.page !== line.page || height > linesHigh * lineHeight)
        return `the box is ${height / lineHeight} lines high`;
      const middle = lineTop + lineHeight / 2;
      return top <= middle && middle <= top + height ? null : 'the box is not on the line';
    },
  },
  {
    name: 'find-a-document',
    task: 'Which document mentions "green lentils"? Answer with its id.',
    prepare: receipt,
    check: async (_world, facts, answer) => (answer.includes(fact(facts, 'documentId')) ? null : `answer: ${answer}`),
  },
  {
    name: 'read-a-price',
    task: 'What does the olive oil on document {documentId} cost? Answer with the price.',
    prepare: receipt,
    check: async (_world, _facts, answer) => (/9[.,]49/.test(answer) ? null : `answer: ${answer}`),
  },
  {
    name: 'ask-with-source',
    task: 'Which change was given on the receipt of Peppercorn Grocers? Answer with the amount and the id of the document that says so.',
    prepare: receipt,
    check: async (_world, facts, answer) =>
      /20[.,]59/.test(answer) && answer.includes(fact(facts, 'documentId')) ? null : `answer: ${answer}`,
  },
  {
    name: 'tag-a-document',
    task: 'Add the tag "paid" to document {documentId}. Keep its other tags.',
    async prepare(world) {
      const { documentId } = await oneTiny(world);
      await world.use('update_document', { documentId, tags: ['march'] });
      return { documentId };
    },
    async check(world, facts) {
      const { tags } = await shown(world, fact(facts, 'documentId'));
      return tags.toSorted().join(' ') === 'march paid' ? null : `its tags are ${tags.join(', ')}`;
    },
  },
  {
    name: 'title-a-document',
    task: 'Give document {documentId} the title "Electricity, May".',
    prepare: oneTiny,
    async check(world, facts) {
      const { title } = await shown(world, fact(facts, 'documentId'));
      return title === 'Electricity, May' ? null : `its title is ${title}`;
    },
  },
  {
    name: 'publish-a-document',
    task: 'Let every project of the organization read document {documentId}.',
    prepare: oneTiny,
    async check(world, facts) {
      return (await shown(world, fact(facts, 'documentId'))).visibility === 'public' ? null : 'it is private';
    },
  },
  {
    name: 'find-a-duplicate',
    task: 'Document {documentId} was uploaded twice. Answer with the id of the other one.',
    async prepare(world) {
      const original = await world.readDocument('receipt.jpg');
      const documentId = await world.storedDocument('receipt.jpg');
      await world.run(world.at.seed.workflowId, [documentId]);
      return { documentId, original };
    },
    check: async (_world, facts, answer) => (answer.includes(fact(facts, 'original')) ? null : `answer: ${answer}`),
  },
];
