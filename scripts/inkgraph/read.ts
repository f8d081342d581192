import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { UsageError } from '#scripts/cli/with-app.ts';
import { commonOptions, commonRows, connected, explained, lineOf, plain } from './connection.ts';

/** The one word or id that a command takes. Several words without quotes count as one text. */
function textOf(positionals: readonly string[], usage: string): string {
  const text = positionals.join(' ').trim();
  if (text === '') throw new UsageError(usage.split('\n')[0] ?? usage);
  return text;
}

/** Writes a response to a file, or to the output. */
async function deliver({ out }: Terminal, response: Response, file: string | undefined): Promise<void> {
  if (response.body === null) return;
  if (file === undefined) {
    const decoder = new TextDecoder();
    for await (const chunk of response.body as AsyncIterable<Uint8Array>)
      out(plain(decoder.decode(chunk, { stream: true })));
    return;
  }
  await pipeline(Readable.fromWeb(response.body), createWriteStream(file)).catch((error: unknown) => {
    throw new UsageError(`${file} is not complete (${lineOf(error)}). Delete it, and try again.`);
  });
}

const searchUsage = helpText({
  usage: 'npx inkgraph search <words> [options]',
  does: 'Finds documents by words, "exact phrases" and identifiers, best match first.',
  options: [['--limit <n>', 'documents; default: 10'], ...commonRows],
  examples: [`npx inkgraph search 'invoice "Tannery Road"' --limit 3`],
});

export const search = withHelp(searchUsage, async (terminal) => {
  const options = { ...commonOptions, limit: { type: 'string', default: '10' } } as const;
  const { values, positionals } = parseArgs({ args: [...terminal.args], options, allowPositionals: true });
  const query = textOf(positionals, searchUsage);
  const found = await explained(connected(terminal, values).results.search({ query, limit: values.limit }));
  if (values.json) return terminal.out(`${JSON.stringify(found)}\n`);
  for (const { id, title, filename, highlights } of found.documents) {
    terminal.out(`${id}  ${plain(title ?? filename ?? '').replaceAll(/\s+/g, ' ')}\n`);
    const [passage] = highlights;
    if (passage !== undefined) terminal.out(`    ${plain(passage.text).replaceAll(/\s+/g, ' ').trim()}\n`);
  }
  if (found.documents.length === 0) terminal.err('Nothing was found. Use fewer or other words.\n');
});

const getUsage = helpText({
  usage: 'npx inkgraph get <doc_...> [options]',
  does: 'Prints the text of a document, or fetches its file. --json prints the document itself.',
  options: [
    ['--format <format>', 'text, markdown, hocr, alto or pdf; original: the uploaded bytes; default: text'],
    ['--out <file>', 'default: standard output'],
    ...commonRows,
  ],
  examples: ['npx inkgraph get doc_01 --format markdown', 'npx inkgraph get doc_01 --format original --out scan.jpg'],
});

const textFormats = ['text', 'markdown', 'hocr', 'alto', 'pdf'] as const;

export const get = withHelp(getUsage, async (terminal) => {
  const options = { ...commonOptions, format: { type: 'string', default: 'text' }, out: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args: [...terminal.args], options, allowPositionals: true });
  const id = textOf(positionals, getUsage);
  const client = connected(terminal, values);
  if (values.json) return terminal.out(`${JSON.stringify(await explained(client.service.getDocument({ id })))}\n`);
  const format = textFormats.find((name) => name === values.format);
  if (format === undefined && values.format !== 'original')
    throw new UsageError(`--format must be one of ${textFormats.join(', ')} and original, and not ${values.format}.`);
  if ((format === undefined || format === 'pdf') && values.out === undefined)
    throw new UsageError('This format is no text. Name a file with --out.');
  if (format !== undefined)
    return deliver(terminal, await explained(client.service.readText({ id, format })), values.out);
  const { originalUrl } = await explained(client.results.files({ id }));
  const response = await fetch(new URL(originalUrl, client.baseUrl));
  if (!response.ok) throw new UsageError(`The file cannot be fetched (${response.status}). Try again.`);
  return deliver(terminal, response, values.out);
});

const askUsage = helpText({
  usage: 'npx inkgraph ask <question> [options]',
  does: 'Answers a question from the text of documents, with the sources.',
  options: [['--document <doc_...>', 'only from this document; may be repeated; default: all'], ...commonRows],
  examples: ["npx inkgraph ask 'What is the total of the receipt?'"],
});

export const ask = withHelp(askUsage, async (terminal) => {
  const options = { ...commonOptions, document: { type: 'string', multiple: true } } as const;
  const { values, positionals } = parseArgs({ args: [...terminal.args], options, allowPositionals: true });
  const question = textOf(positionals, askUsage);
  const answer = await explained(connected(terminal, values).results.ask({ question, documentIds: values.document }));
  if (values.json) return terminal.out(`${JSON.stringify(answer)}\n`);
  terminal.out(`${plain(answer.answerText)}\n`);
  for (const { index, documentId, title } of answer.sources.filter((one) => answer.cited.includes(one.index)))
    terminal.out(`[${index}] ${documentId}  ${plain(title ?? '').replaceAll(/\s+/g, ' ')}\n`);
});

const exportUsage = helpText({
  usage: 'npx inkgraph export [options]',
  does: 'Writes the documents of the project, or the records of a type as CSV.',
  options: [
    ['--format jsonl|csv|zip', 'zip has a folder for each document with its text; default: jsonl'],
    ['--tag <tag>', 'documents with this tag; default: all'],
    ['--files', 'zip: also the uploaded bytes'],
    ['--records <type>', 'records of this type, in place of documents; default: none'],
    ['--out <file>', 'default: standard output'],
    ...commonRows,
  ],
  examples: [
    'npx inkgraph export --format zip --files --out documents.zip',
    'npx inkgraph export --records receipt --out receipts.csv',
  ],
});

export const exportAll = withHelp(exportUsage, async (terminal) => {
  const options = {
    ...commonOptions,
    format: { type: 'string', default: 'jsonl' },
    tag: { type: 'string' },
    files: { type: 'boolean', default: false },
    records: { type: 'string' },
    out: { type: 'string' },
  } as const;
  const { values, positionals } = parseArgs({ args: [...terminal.args], options, allowPositionals: true });
  if (positionals.length > 0)
    throw new UsageError(`${positionals.join(' ')} is not understood. See: inkgraph export --help`);
  const { format, tag, files, records, out } = values;
  const known = (['jsonl', 'csv', 'zip'] as const).find((name) => name === format);
  if (known === undefined) throw new UsageError(`--format must be jsonl, csv or zip, and not ${format}.`);
  if (known === 'zip' && out === undefined) throw new UsageError('A zip is no text. Name a file with --out.');
  const client = connected(terminal, values);
  const table = { recordType: records, format: 'csv' } as const;
  const response = await explained(
    records === undefined
      ? client.results.exportDocuments({ format: known, tag, files })
      : client.raw('records', 'query', table),
  );
  await deliver(terminal, response, out);
});
