import type { z } from 'zod';
import { parse } from 'csv-parse/sync';
import { datasetLimits, Reference, SaveDatasetBody } from '#src/contracts/experiments/dataset.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ToolContext } from '#tools/define.ts';

type Asked = z.output<typeof SaveDatasetBody>;
export type AskedItem = Asked['items'][number];
type Source = NonNullable<Asked['source']>;

const Item = SaveDatasetBody.shape.items.unwrap().element;

function refused(line: number, message: string): AppError {
  return new AppError('request.invalid', `The item that ends on line ${line} of the source is not valid: ${message}`, {
    errors: [{ pointer: '/source/text', code: 'invalid_value', message: `line ${line}: ${message}` }],
  });
}

function itemOf(value: unknown, line: number): AskedItem {
  const { data, error } = Item.safeParse(value);
  if (data !== undefined) return data;
  const [first] = error.issues;
  throw refused(line, `${first?.path.join('.') ?? ''}: ${first?.message ?? 'invalid'}`);
}

function fromJsonl(text: string): AskedItem[] {
  return text
    .replace(/^\uFEFF/u, '')
    .split('\n')
    .flatMap((line, at) => {
      if (line.trim() === '') return [];
      try {
        return [itemOf(JSON.parse(line), at + 1)];
      } catch (error) {
        if (error instanceof SyntaxError) throw refused(at + 1, 'it is not JSON');
        throw error;
      }
    });
}

/** A value as it is written in a table: a number or a truth value where it looks like one. */
function cellValue(text: string): string | number | boolean | null {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  return /^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/.test(text) ? Number(text) : text;
}

function fromCsv(text: string): AskedItem[] {
  let rows: { readonly record: Record<string, string>; readonly info: { readonly lines: number } }[];
  try {
    const options = { columns: true, bom: true, skip_empty_lines: true, trim: true, max_record_size: 400_000 } as const;
    rows = parse(text, { ...options, info: true });
  } catch (error) {
    throw new AppError('request.invalid', `The source is not CSV: ${error instanceof Error ? error.message : ''}`, {
      errors: [{ pointer: '/source/text', code: 'invalid_value', message: 'not CSV with a line of headings' }],
    });
  }
  return rows.map(({ record: row, info }) => {
    const { documentId, text: whole = '', label = '', split = '', tags = '' } = row;
    const fields = Object.entries(row).filter(([name, value]) => name.startsWith('fields.') && value !== '');
    const reference = {
      ...(whole !== '' && { text: whole }),
      ...(label !== '' && { label }),
      ...(fields.length > 0 && {
        fields: Object.fromEntries(fields.map(([name, value]) => [name.slice(7), cellValue(value)])),
      }),
    };
    return itemOf(
      {
        documentId,
        ...(Object.keys(reference).length > 0 && { reference }),
        ...(split !== '' && { split }),
        ...(tags !== '' && { tags: tags.split(';') }),
      },
      info.lines,
    );
  });
}

/** The part of an answer that is a reference of this kind; null where it is none. */
function answered(answer: unknown, as: 'label' | 'fields' | 'text'): z.output<typeof Reference> | null {
  const { data } = Reference.safeParse({ [as]: answer });
  return data ?? null;
}

async function fromAnswers(
  { deps, principal }: ToolContext<'executions'>,
  { workflowId, path, as, limit }: Extract<Source, { type: 'answers' }>,
): Promise<AskedItem[]> {
  const runs = await deps.executions.answeredRuns(principal, workflowId, limit);
  const items = new Map<string, AskedItem>();
  for (const { documentId, answers = [] } of runs) {
    if (items.has(documentId)) continue;
    const given = answers.findLast((one) => one.path === path);
    const reference = given === undefined ? null : answered(given.answer, as);
    if (reference !== null) items.set(documentId, { documentId, reference });
  }
  return [...items.values()];
}

async function fromSearch(
  { deps, principal }: ToolContext<'search'>,
  { query, limit }: Extract<Source, { type: 'search' }>,
): Promise<AskedItem[]> {
  const { organizationId, projectIds } = principal;
  const { hits } = await deps.search.search({ text: query, organizationId, projectIds, limit });
  return hits.map(({ documentId }) => ({ documentId }));
}

/** Items of a source. Errors: `request.invalid` names the line. */
export async function readSource(
  ctx: ToolContext<'executions' | 'search'>,
  source: Source,
): Promise<readonly AskedItem[]> {
  const items = await itemsOf(ctx, source);
  if (items.length <= datasetLimits.items) return items;
  throw new AppError(
    'request.invalid',
    `The source has ${items.length} items; a dataset has at most ${datasetLimits.items}.`,
  );
}

function itemsOf(ctx: ToolContext<'executions' | 'search'>, source: Source): Promise<AskedItem[]> | AskedItem[] {
  switch (source.type) {
    case 'jsonl':
      return fromJsonl(source.text);
    case 'csv':
      return fromCsv(source.text);
    case 'answers':
      return fromAnswers(ctx, source);
    case 'search':
      return fromSearch(ctx, source);
  }
}
