import type { z } from 'zod';
import type { Addresses } from '#app/compose/addresses.ts';
import type { SearchResult } from '#src/contracts/resources/card.ts';
import type { RecordPage } from '#src/contracts/records/record.ts';
import type { Document } from '#src/contracts/resources/document.ts';
import type { Seed } from '#app/compose/seed.ts';
import { remoteSnippets } from '#scripts/mcp/snippets.ts';

export const print = (text = ''): void => void process.stdout.write(`${text}\n`);
export const rule = (title: string): void =>
  print(`\n\u2500\u2500 ${title} ${'\u2500'.repeat(Math.max(0, 90 - title.length))}`);

function wrapped(text: string, indent: string, most: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line.length + word.length > 92) {
      lines.push(line);
      line = '';
    }
    line += `${line === '' ? '' : ' '}${word}`;
  }
  lines.push(line);
  return lines
    .slice(0, most)
    .map((one) => indent + one)
    .join('\n');
}

export function showDocument(file: string, document: Document, text: string): void {
  rule(file);
  const { ocr, pages, width, height } = document;
  print(`  ${document.title ?? '(no title)'}`);
  print(`  ${pages} page${pages === 1 ? '' : 's'}, ${width} x ${height} pixels`);
  if (ocr !== null)
    print(`  confidence ${ocr.avgConfidence.toFixed(1)} %, ${ocr.characters} characters by ${ocr.modelLabel}`);
  print(`\n  Description (${document.descriptionModelLabel}):`);
  print(wrapped(document.description ?? '', '    ', 5));
  print('\n  Text:');
  const lines = text.split(/[\n\f]/).filter((line) => line.trim() !== '');
  print(
    lines
      .slice(0, 5)
      .map((line) => `    ${line.slice(0, 96)}`)
      .join('\n'),
  );
  if (lines.length > 5) print(`    ... ${lines.length - 5} more lines`);
}

export function showSearch(
  query: string,
  hits: z.output<typeof SearchResult>['documents'],
  fileOf: ReadonlyMap<string, string>,
): void {
  print(`\n  ${query}`);
  if (hits.length === 0) print('    nothing found');
  for (const hit of hits.slice(0, 3))
    print(
      `    ${(hit.score ?? 0).toFixed(2).padStart(6)}  ${(fileOf.get(hit.id) ?? hit.id).padEnd(20)} ${hit.matchedBy.join(' + ').padEnd(16)} ${hit.title ?? ''}`,
    );
}

const cellText = (value: RecordPage['records'][number]['cells'][string]['value'] | undefined): string =>
  value === null || value === undefined
    ? '-'
    : typeof value === 'object'
      ? `${value.amount.toFixed(2)} ${value.currency ?? ''}`
      : String(value);

/** Fields of the receipts, with the place of the total on its page. */
export function showRecords({ records }: RecordPage, fileOf: ReadonlyMap<string, string>): void {
  for (const { documentId, cells, status } of records) {
    const [total, date, merchant] = ['total', 'date', 'merchant'].map((name) => cells[name]);
    const box = total?.box?.map((share) => share.toFixed(2)).join(' ');
    print(
      `  ${(fileOf.get(documentId) ?? documentId).padEnd(20)} ${cellText(total?.value).padStart(12)}  ${cellText(date?.value).padEnd(10)}  ${cellText(merchant?.value).slice(0, 28).padEnd(28)} ${status}${box === undefined ? '' : `; total on page ${(total?.page ?? 0) + 1} at ${box}`}`,
    );
  }
}

export function showHowTo(addresses: Addresses, seed: Seed): void {
  rule('Do it yourself');
  print(`
  # upload a scan (presign, PUT, ack); the workflow bound to the key runs by itself
  FILE=test/fixtures/letter.png
  UPLOAD=$(curl -s ${addresses.api}/api/uploads/presign -H 'x-api-key: ${seed.workflowKey}' \\
    -H 'content-type: application/json' -d "{\\"contentType\\":\\"image/png\\",\\"size\\":$(wc -c < $FILE)}")
  curl -sf -T $FILE "$(echo "$UPLOAD" | sed 's/.*"uploadUrl":"\\([^"]*\\)".*/\\1/')"
  curl -s ${addresses.api}/api/uploads/ack -H 'x-api-key: ${seed.workflowKey}' -H 'content-type: application/json' \\
    -d "{\\"objectKey\\":\\"$(echo "$UPLOAD" | sed 's/.*"objectKey":"\\([^"]*\\)".*/\\1/')\\"}"

  # what is there
  curl -s '${addresses.api}/api/service/documents?limit=5' -H 'x-api-key: ${seed.serviceKey}'
  curl -s ${addresses.api}/api/openapi.json`);
  rule('Connect an MCP client');
  for (const snippet of Object.values(remoteSnippets(`${addresses.mcp}/mcp`, seed.serviceKey)))
    print(`\n${snippet.replaceAll(/^/gm, '  ')}`);
}

/** The address that shows the samples, and how to sign in there. */
export function showDashboard(addresses: Addresses, seed: Seed): void {
  rule('Look at it');
  print(`\n  ${addresses.api}\n  E-mail address  ${seed.operatorEmail}\n  Password        ${seed.operatorPassword}`);
}
