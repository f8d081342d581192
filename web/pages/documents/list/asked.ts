import type { Input } from '../../../api/families.ts';
import { filterJson, recordsIn } from '../../records/search.ts';
import { filterNames, type FilterName, type Order } from './filter-names.ts';

type Query = NonNullable<Input<'documents', 'list'>['query']>;

/** Beginning of a day in the person's own time zone, `days` later. Undefined: no date. */
export function startOfDay(date: string, days = 0): string | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date) ?? [];
  if (day === undefined) return undefined;
  const start = new Date(Number(year), Number(month) - 1, Number(day) + days);
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
}

/** Bounds of the text's confidence, by the words of the address. */
const bounds: Readonly<Record<string, Partial<Query>>> = {
  'below-70': { maxConfidence: 69.999 },
  'below-85': { maxConfidence: 84.999 },
  'from-85': { minConfidence: 85 },
};

const among = (field: keyof Query, values: string) => {
  const all = new Set(values.split(' '));
  return (value: string): Partial<Query> => (all.has(value) ? { [field]: value } : {});
};

/** Fields of the list row by filter. A value that means nothing asks nothing. */
const asks: Readonly<Record<FilterName, (value: string) => Partial<Query>>> = {
  status: among('status', 'queued running waiting succeeded failed canceled timed_out none'),
  type: among(
    'contentType',
    'application/pdf image/png image/jpeg image/webp image/avif image/heic image/heif image/tiff image/gif',
  ),
  from: (value) => ({ createdAfter: startOfDay(value) }),
  to: (value) => ({ createdBefore: startOfDay(value, 1) }),
  tag: (value) => ({ tag: value }),
  workflow: (value) => ({ workflowId: value }),
  confidence: (value) => (Object.hasOwn(bounds, value) ? (bounds[value] ?? {}) : {}),
  text: among('hasText', 'true false'),
  visibility: among('visibility', 'private public'),
  key: (value) => ({ apiKeyId: value }),
  project: (value) => ({ projectId: value }),
  records: (value) => {
    const { recordType, conditions } = recordsIn(value);
    return { recordType, record: filterJson(conditions) };
  },
};

/** Fields of the list row for the filters of an address. */
export function askedFilters(search: { readonly [Name in FilterName]?: string }): Partial<Query> {
  const fields: Partial<Query> = {};
  for (const name of filterNames) {
    const value = search[name];
    if (value !== undefined) Object.assign(fields, asks[name](value));
  }
  return fields;
}

/** Fields of the list row for an order. A search takes none: it is in the order of its matches. */
export function askedOrder(order: Order | undefined): Pick<Query, 'sort' | 'order'> {
  if (order === undefined) return {};
  const [sort, direction] = order.split('-') as ['created', 'asc' | 'desc' | undefined];
  return { sort, order: direction ?? (order === 'name' ? 'asc' : 'desc') };
}
