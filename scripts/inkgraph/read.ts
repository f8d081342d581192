import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import type { Program, Terminal } from '#scripts/cli/terminal.ts';
import { UsageError } from '#scripts/cli/with-app.ts';
import { commonOptions, commonUsage, connected, explained, lineOf, plain } from './connection.ts';

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

const searchUsage = `Usage: npx inkgraph search <words> [--limit <n>]
  Finds documents by words, "exact phrases" and identifiers, best match first.
${commonUsage}`;

export const search: Program = async (terminal) => {
  const options = { ...commonOptions, limit: { type: 'string', default: '10' } } as const;
  const { values, positionals } = parseArgs({ args: [...terminal.args], options, allowPositionals: true });
  if (values.help) return terminal.out(`${searchUsage}\n`);
  const query = textOf(positionals, searchUsage);
  const found = await explained(connected(terminal, values).results.search({ query, limit: values.limit }));
  if (values.json) return terminal.out(`${JSON.stringify(found)}\n`);
  for (const { id, title, filename, highlights } of found.documents) {
    terminal.out(`${id}  ${plain(title ?? filename ?? '').replaceAll(/\s+/g, ' ')}\n`);
    const [passage] = highlights;
    if (passage !== undefined) terminal.out(`    ${plain(passage.text).replaceAll(/\s+/g, ' ').trim()}\n`);
  }
  if (found.documents.length === 0) terminal.err('Nothing was found. Use fewer or other words.\n');
};

const getUsage = `Usage: npx inkgraph get <doc_...> [--format <format>] [--out <file>]
  The text of a document: text (default), markdown, hocr, alto or pdf; original: the uploaded bytes. --json: the document itself.
${commonUsage}`;

const textFormats = ['text', 'markdown', 'hocr', 'alto', 'pdf'] as const;

export const get: Program = async (terminal) => {
  const options = { ...commonOptions, format: { type: 'string', default: 'text' }, out: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args: [...terminal.args], options, allowPositionals: true });
  if (values.help) return terminal.out(`${getUsage}\n`);
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
};

const askUsage = `Usage: npx inkgraph ask <question> [--document <doc_...>]...
  Answers a question from the text of documents, with the sources.
${commonUsage}`;

export const ask: Program = async (terminal) => {
  const options = { ...commonOptions, document: { type: 'string', multiple: true } } as const;
  const { values, positionals } = parseArgs({ args: [...terminal.args], options, allowPositionals: true });
  if (values.help) return terminal.out(`${askUsage}\n`);
  const question = textOf(positionals, askUsage);
  const answer = await explained(connected(terminal, values).results.ask({ question, documentIds: values.document }));
  if (values.json) return terminal.out(`${JSON.stringify(answer)}\n`);
  terminal.out(`${plain(answer.answerText)}\n`);
  for (const { index, documentId, title } of answer.sources.filter((one) => answer.cited.includes(one.index)))
    terminal.out(`[${index}] ${documentId}  ${plain(title ?? '').replaceAll(/\s+/g, ' ')}\n`);
};

const exportUsage = `Usage: npx inkgraph export [--format jsonl|csv|zip] [--tag <tag>] [--files] [--out <file>]
  The documents of the project, or those with a tag. zip has a folder for each with its text; with --files, also the uploaded bytes.
  npx inkgraph export --records <type> [--out <file>]: the records of a type as CSV.
${commonUsage}`;

export const exportAll: Program = async (terminal) => {
  const options = {
    ...commonOptions,
    format: { type: 'string', default: 'jsonl' },
    tag: { type: 'string' },
    files: { type: 'boolean', default: false },
    records: { type: 'string' },
    out: { type: 'string' },
  } as const;
  const { values, positionals } = parseArgs({ args: [...terminal.args], options, allowPositionals: true });
  if (values.help) return terminal.out(`${exportUsage}\n`);
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
};
