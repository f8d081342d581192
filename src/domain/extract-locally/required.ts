import {
  absent,
  composed,
  rowsOf,
  type FieldRule,
  type FoundField,
  type FoundFields,
} from '#src/domain/extract-locally/field.ts';

type Rules = Readonly<Record<string, RequiredRule>>;

/** A rule with what must be found of it. */
export interface RequiredRule extends Pick<FieldRule, 'type' | 'description' | 'aliases'> {
  readonly required: boolean;
  readonly fields?: Rules | undefined;
  readonly items?: { readonly type: 'string' } | { readonly type: 'object'; readonly fields: Rules } | undefined;
}

const each = (found: FoundFields, rules: Rules): FoundFields =>
  Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, withEvidence(found[name] ?? absent, rule)]));

/** A field without the values that have no evidence; those of objects and rows are its cells. */
export function withEvidence(field: FoundField, { type, fields, items }: RequiredRule): FoundField {
  if (field.verified || field.value === null) return field;
  if (type === 'object' && fields !== undefined) return composed(each(field.value as FoundFields, fields));
  if (items?.type === 'object') return composed(rowsOf(field).map((row) => each(row, items.fields)));
  return { ...absent, confidence: field.confidence };
}

/**
 * Names of required fields that were not found: `total`, `address.city` in an object, and `items[].amount` if a row lacks it. Fields of
 * an object or list that was not found itself are left out.
 */
export function missingOf(found: FoundFields, rules: Rules): string[] {
  return Object.entries(rules).flatMap(([name, rule]) => {
    const field = found[name] ?? absent;
    if (field.value === null) return rule.required ? [name] : [];
    const { type, fields, items } = rule;
    if (type === 'object' && fields !== undefined)
      return missingOf(field.value as FoundFields, fields).map((inner) => `${name}.${inner}`);
    if (items?.type !== 'object') return [];
    const cells = new Set(rowsOf(field).flatMap((row) => missingOf(row, items.fields)));
    return [...cells].map((inner) => `${name}[].${inner}`);
  });
}
