import { z } from 'zod';
import type { ChatTool, ChatToolCall } from '#src/domain/ports/chat-model.ts';
import type { FoundDocument, NodeDeps, RunFacts } from '#graphs/node-deps.ts';

/** Characters of document text in one result. */
const textPage = 6_000;
const mostHits = 8;

const DocumentId = z.string().min(1).max(100).describe('Document id of a search result, or of this run');

interface Tools {
  readonly deps: NodeDeps;
  readonly run: RunFacts;
  readonly signal: AbortSignal;
}

interface ReadTool<Schema extends z.ZodObject = z.ZodObject> {
  readonly description: string;
  readonly parameters: Schema;
  run(tools: Tools, given: z.output<Schema>): Promise<unknown>;
}

function tool<Schema extends z.ZodObject>(made: ReadTool<Schema>): ReadTool {
  return made;
}

/** All tools of the `agent` node: they read documents of the run's project, and cannot be extended by document text. */
const tools: ReadonlyMap<string, ReadTool> = new Map([
  [
    'search_documents',
    tool({
      description:
        'Search the documents of this project by words. Returns ids, titles and descriptions, best match first.',
      parameters: z.strictObject({
        query: z.string().trim().min(1).max(500).describe('Words, numbers, or a "quoted phrase"'),
        limit: z.int().min(1).max(mostHits).default(5).describe('Most documents to return'),
      }),
      async run({ deps, run }, { query, limit }) {
        const { organizationId, projectId } = run;
        const asked = { organizationId, projectIds: [projectId], text: query, limit: 3 * limit };
        const { hits } = await deps.search.search(asked);
        const documents: FoundDocument[] = [];
        for (const { documentId } of hits) {
          // Search also finds public documents of other projects, which this run must not read.
          const document = documents.length < limit ? await deps.readDocument(run, documentId) : null;
          if (document !== null) documents.push(document);
        }
        return documents.map(({ documentId, title, description }) => ({
          documentId,
          title,
          description: description.slice(0, 500).toWellFormed(),
        }));
      },
    }),
  ],
  [
    'read_document_text',
    tool({
      description: `Read the recognized text of a document, ${textPage} characters at a time.`,
      parameters: z.strictObject({
        documentId: DocumentId,
        offset: z.int().min(0).default(0).describe('Characters to skip: nextOffset of the previous result'),
      }),
      async run({ deps, run }, { documentId, offset }) {
        const document = await deps.readDocument(run, documentId);
        if (document === null) return notFound;
        const end = offset + textPage;
        const text = document.text.slice(offset, end).toWellFormed();
        return { documentId, text, nextOffset: end < document.text.length ? end : null };
      },
    }),
  ],
  [
    'get_description',
    tool({
      description: 'Read the title and description of a document.',
      parameters: z.strictObject({ documentId: DocumentId }),
      async run({ deps, run }, { documentId }) {
        const document = await deps.readDocument(run, documentId);
        return document === null ? notFound : { documentId, title: document.title, description: document.description };
      },
    }),
  ],
]);

const notFound = { error: 'No such document in this project.' };

export const readTools: readonly ChatTool[] = [...tools].map(([name, { description, parameters }]) => {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(parameters, { io: 'input' });
  return { name, description, parameters: schema };
});

/** Runs a tool call of the model and returns its result or its error as delimited text. Throws errors of the stores. */
export async function callReadTool(context: Tools, call: ChatToolCall): Promise<string> {
  context.signal.throwIfAborted();
  return context.deps.chat.delimit('tool_result', JSON.stringify(await resultOf(context, call)));
}

async function resultOf(context: Tools, call: ChatToolCall): Promise<unknown> {
  const known = tools.get(call.name);
  if (known === undefined) return { error: `There is no such tool. There are: ${[...tools.keys()].join(', ')}.` };
  if (call.malformed) return { error: 'The arguments are no JSON object.' };
  const given = known.parameters.safeParse(call.arguments);
  if (!given.success)
    return {
      error: given.error.issues
        .map((issue) => `${issue.path.join('.')}: ${issue.message}`)
        .join('; ')
        .slice(0, 500),
    };
  return known.run(context, given.data);
}
