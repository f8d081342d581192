import { CheckField, SelectField } from '../../../parts/field.tsx';
import { workflows as words } from '../../../text/workflows.ts';
import { EntriesField, GroupField, ListField } from './nested-fields.tsx';
import { isMembers, kindOf, readJson, readLines, readNumber, resolved, type SchemaFieldProps } from './schema.ts';
import { Committed } from './text-fields.tsx';

const shown = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
const pretty = (value: unknown): string => (value === undefined ? '' : (JSON.stringify(value, null, 2) ?? ''));

function Choice({
  label,
  schema,
  value,
  isNeeded,
  error,
  onCommit,
  hint,
}: SchemaFieldProps & { readonly hint?: string | undefined }) {
  const choices = (schema.enum ?? []).map(shown);
  const current = value === undefined ? '' : shown(value);
  const usual = schema.default === undefined ? words.optional : words.byDefault(shown(schema.default));
  return (
    <SelectField
      {...{ label, hint, error }}
      value={current}
      onChange={({ currentTarget }) => {
        const at = choices.indexOf(currentTarget.value);
        onCommit(at === -1 ? undefined : schema.enum?.[at]);
      }}
    >
      {(!isNeeded || current === '') && <option value="">{usual}</option>}
      {current !== '' && !choices.includes(current) && <option value={current}>{current}</option>}
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </SelectField>
  );
}

/** Reads a text box, and saves what it has. Returns the reason when it cannot. */
const saved =
  (read: (text: string) => ReturnType<typeof readJson>, onCommit: (value: unknown) => void) =>
  (text: string): string | undefined => {
    const result = read(text);
    if ('error' in result) return result.error;
    onCommit(result.value);
    return undefined;
  };

/** One field of a configuration, by its JSON Schema. */
export function SchemaField(props: SchemaFieldProps) {
  const { label, value, isNeeded, error, onCommit } = props;
  const schema = resolved(props.schema, value);
  const hint = schema.description;
  const placeholder = schema.default === undefined ? undefined : shown(schema.default);
  const field = { label, hint, error, placeholder };
  const members = isMembers(value) ? value : {};
  switch (kindOf(schema, value)) {
    case 'expression':
      return (
        <Committed
          {...field}
          isCode
          isLong
          stored={shown(members['$expr'])}
          onCommit={saved((text) => ({ value: { $expr: text } }), onCommit)}
        />
      );
    case 'secret':
      return (
        <Committed
          {...field}
          hint={words.secret}
          stored={shown(members['$secret'])}
          onCommit={saved((text) => ({ value: text === '' ? undefined : { $secret: text } }), onCommit)}
        />
      );
    case 'choice':
      return <Choice {...props} schema={schema} hint={hint} />;
    case 'yes':
      return (
        <CheckField
          {...{ label, hint }}
          checked={(value ?? schema.default ?? false) === true}
          onChange={({ currentTarget }) => onCommit(currentTarget.checked)}
        />
      );
    case 'number':
      return (
        <Committed {...field} stored={shown(value)} onCommit={saved((text) => readNumber(text, schema), onCommit)} />
      );
    case 'text':
    case 'long':
      return (
        <Committed
          {...field}
          isLong={kindOf(schema, value) === 'long'}
          stored={shown(value ?? '')}
          onCommit={saved((text) => ({ value: text === '' && !isNeeded ? undefined : text }), onCommit)}
        />
      );
    case 'lines':
      return (
        <Committed
          {...field}
          isLong
          hint={[hint, words.oneALine].filter((one) => one !== undefined).join('. ')}
          placeholder={undefined}
          stored={Array.isArray(value) ? value.map(shown).join('\n') : ''}
          onCommit={saved((text) => readLines(text, schema.items ?? {}), onCommit)}
        />
      );
    case 'list':
      return <ListField {...props} schema={schema} field={SchemaField} />;
    case 'group':
      return <GroupField {...props} schema={schema} field={SchemaField} />;
    case 'entries':
      return <EntriesField {...props} schema={schema} field={SchemaField} />;
    case 'json':
      return <Committed {...field} isCode isLong stored={pretty(value)} onCommit={saved(readJson, onCommit)} />;
  }
}
