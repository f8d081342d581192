import { z } from 'zod';
import { serviceRecords } from '#src/contracts/dashboard/records.ts';
import { errorCodes } from '#src/contracts/error-codes.ts';
import { ingestion } from '#src/contracts/ingestion.ts';
import { documentTypes, fileExtensions } from '#src/contracts/media-types.ts';
import { Problem } from '#src/contracts/resources/problem.ts';
import { serviceResults } from '#src/contracts/results/service-rows.ts';
import type { Route } from '#src/contracts/route.ts';
import { service } from '#src/contracts/service.ts';
import { kindOf, TypePrinter } from '#scripts/gen/client-types.ts';

const families: Readonly<Record<string, Readonly<Record<string, Route>>>> = {
  ingestion,
  service,
  results: serviceResults,
  records: serviceRecords,
};

const head = '// Written by `npm run gen` from src/contracts. Changes here are lost.\n';

/** Input of a row in one object: names of its path, and fields of its query or of its body. */
function inputOf({ id, params, query, body }: Route, printer: TypePrinter): string {
  const parts = [params, query, body].filter((part) => part !== undefined);
  const names = parts.flatMap((part) => (part instanceof z.ZodObject ? Object.keys(part.shape) : []));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`${id}: ${twice} is twice in path, query and body: rename one`);
  const types = parts.map((part) => printer.print(part, 'input')).filter((type) => type !== 'Record<never, never>');
  return types.length === 0 ? 'object' : types.join(' & ');
}

/** Method, path and kind of the response of each row: all that the client needs of the contracts at run time. */
export function clientRows(): string {
  const lines = Object.entries(families).map(([family, rows]) => {
    const inner = Object.entries(rows).map(
      ([name, row]) => `    ${name}: ['${row.method}', '${row.path}', '${kindOf(row)}'],\n`,
    );
    return `  ${family}: {\n${inner.join('')}  },\n`;
  });
  const extensions = documentTypes.map((type) => `  ${fileExtensions[type]}: '${type}',\n`);
  return [
    head,
    '/** Rows of the service API. */\n',
    `export const rows = {\n${lines.join('')}} as const;\n`,
    '\n/** Media types of documents, by the extension of a file. */\n',
    `export const mediaTypes = {\n${extensions.join('')}  jpeg: 'image/jpeg',\n  tif: 'image/tiff',\n} as const;\n`,
  ].join('');
}

/** Types of the rows, in TypeScript alone: who installs the client needs no zod. */
export function clientTypes(): string {
  const printer = new TypePrinter();
  printer.print(Problem, 'output');
  const lines = Object.entries(families).map(([family, rows]) => {
    const inner = Object.entries(rows).map(
      ([name, row]) =>
        `    /** ${row.summary} */\n    ${name}: { input: ${inputOf(row, printer)}; reply: ${kindOf(row) === 'file' ? 'Response' : printer.print(row.reply, 'output')} };\n`,
    );
    return `  ${family}: {\n${inner.join('')}  };\n`;
  });
  const codes = Object.keys(errorCodes).map((code) => `  | '${code}'\n`);
  return [
    head,
    printer.declarations(),
    '\n/** Codes of problems. A newer server may have more. */\n',
    `export type ErrorCode =\n${codes.join('').trimEnd()};\n`,
    '\n/** Input and response of each row. */\n',
    `export interface Rows {\n${lines.join('')}}\n`,
  ].join('');
}
