import { known, oneOf, text, type Raw } from '../../state/search.ts';

const statuses = ['proposed', 'doubtful', 'confirmed'] as const;
export const operators = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'contains', 'exists'] as const;
export type Operator = (typeof operators)[number];

/** One condition of the table: `total gt 20`. */
export interface Condition {
  readonly field: string;
  readonly operator: Operator;
  readonly value: string;
}

/** Conditions as the address keeps them. */
export function conditionsIn(filter: string | undefined): readonly Condition[] {
  if (filter === undefined || filter === '') return [];
  return filter.split(';').flatMap((one) => {
    const [field = '', name = '', ...rest] = one.split('~');
    const operator = operators.find((other) => other === name);
    return field === '' || operator === undefined ? [] : [{ field, operator, value: rest.join('~') }];
  });
}

export const filterOf = (conditions: readonly Condition[]): string | undefined =>
  conditions.length === 0
    ? undefined
    : conditions.map(({ field, operator, value }) => `${field}~${operator}~${value.replaceAll(';', ',')}`).join(';');

/** Records that documents are looked for by, as the address keeps them: `receipt;total~gt~20`. */
export const recordsOf = (recordType: string, conditions: readonly Condition[]): string =>
  [recordType, filterOf(conditions)].filter((part) => part !== undefined).join(';');
export function recordsIn(records: string): { readonly recordType: string; readonly conditions: readonly Condition[] } {
  const [recordType = '', ...conditions] = records.split(';');
  return { recordType, conditions: conditionsIn(conditions.join(';')) };
}

const isNumber = (value: string): boolean => /^-?\d+(\.\d+)?$/.test(value.trim());

/** The `filter` of the API, as JSON. */
export function filterJson(conditions: readonly Condition[]): string | undefined {
  if (conditions.length === 0) return undefined;
  const filter: Record<string, Record<string, unknown>> = {};
  for (const { field, operator, value } of conditions)
    filter[field] = {
      ...filter[field],
      [operator]:
        operator === 'exists' ? value !== 'false' : operator !== 'contains' && isNumber(value) ? Number(value) : value,
    };
  return JSON.stringify(filter);
}

export const recordsSearch = (raw: Raw) =>
  known({
    type: text(raw, 'type'),
    status: oneOf(raw, 'status', statuses),
    filter: text(raw, 'filter'),
    sort: text(raw, 'sort'),
  });
