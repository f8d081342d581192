import { Plus, X } from 'lucide-react';
import type { ComponentType, ReactNode } from 'react';
import { Button, IconButton } from '../../../parts/button.tsx';
import { workflows as words } from '../../../text/workflows.ts';
import { blankOf, isMembers, type Schema, type SchemaFieldProps } from './schema.ts';
import { NewName } from './text-fields.tsx';

type Members = Readonly<Record<string, unknown>>;
/** The component that shows any schema: nested fields contain more of it. */
type Nested = SchemaFieldProps & { readonly field: ComponentType<SchemaFieldProps> };

/** Members with one of them changed, or left out. */
function withMember(members: Members, name: string, value: unknown): Members {
  const { [name]: _, ...rest } = members;
  if (value === undefined) return rest;
  return name in members
    ? Object.fromEntries(Object.entries(members).map(([key, old]) => [key, key === name ? value : old]))
    : { ...members, [name]: value };
}

function Frame({
  label,
  hint,
  error,
  children,
}: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly children: ReactNode;
}) {
  return (
    <fieldset className="grid min-w-0 gap-2">
      <legend className="font-medium">{label}</legend>
      {hint !== undefined && <p className="text-xs text-muted">{hint}</p>}
      {error !== undefined && <p className="text-xs font-medium text-bad">{error}</p>}
      <div className="grid gap-3 border-s-2 border-line ps-3">{children}</div>
    </fieldset>
  );
}

interface MemberFieldsProps {
  readonly schema: Schema;
  readonly value: Members;
  readonly field: Nested['field'];
  readonly onCommit: (value: Members) => void;
}

function MemberFields({ schema, value, field: Field, onCommit }: MemberFieldsProps) {
  return Object.entries(schema.properties ?? {}).map(([name, inner]) => (
    <Field
      key={name}
      label={name}
      schema={inner}
      value={value[name]}
      isNeeded={schema.required?.includes(name) ?? false}
      onCommit={(next) => onCommit(withMember(value, name, next))}
    />
  ));
}

/** An object with named members. */
export function GroupField({ label, schema, value, error, field, onCommit }: Nested) {
  return (
    <Frame label={label} hint={schema.description} error={error}>
      <MemberFields schema={schema} field={field} value={isMembers(value) ? value : {}} onCommit={onCommit} />
    </Frame>
  );
}

/** A list of objects. */
export function ListField({ label, schema, value, error, field, onCommit }: Nested) {
  const all: readonly unknown[] = Array.isArray(value) ? value : [];
  const items = schema.items ?? {};
  return (
    <Frame label={label} hint={schema.description} error={error}>
      {all.map((one, at) => {
        const name = words.item(at + 1);
        return (
          // eslint-disable-next-line react/no-array-index-key -- items have no other name than their place
          <fieldset key={at} className="grid min-w-0 gap-2 rounded-md border border-line p-2">
            <legend className="sr-only">{name}</legend>
            <div className="flex items-center justify-between text-xs text-muted">
              {name}
              <IconButton
                size="small"
                label={words.removeItem(name)}
                onClick={() => onCommit(all.filter((_, index) => index !== at))}
              >
                <X size={14} aria-hidden />
              </IconButton>
            </div>
            <MemberFields
              schema={items}
              field={field}
              value={isMembers(one) ? one : {}}
              onCommit={(next) => onCommit(all.map((old, index) => (index === at ? next : old)))}
            />
          </fieldset>
        );
      })}
      <div>
        <Button size="small" icon={<Plus size={14} aria-hidden />} onClick={() => onCommit([...all, blankOf(items)])}>
          {words.addItem}
        </Button>
      </div>
    </Frame>
  );
}

/** Values by names that people choose. */
export function EntriesField({ label, schema, value, error, field: Field, onCommit }: Nested) {
  const members = isMembers(value) ? value : {};
  const inner = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
  return (
    <Frame label={label} hint={schema.description} error={error}>
      {Object.entries(members).map(([name, one]) => (
        <div key={name} className="flex items-start gap-1">
          <div className="min-w-0 flex-1">
            <Field
              label={name}
              schema={inner}
              value={one}
              isNeeded
              onCommit={(next) => onCommit(withMember(members, name, next ?? blankOf(inner)))}
            />
          </div>
          <IconButton
            size="small"
            label={words.removeItem(name)}
            onClick={() => onCommit(withMember(members, name, undefined))}
          >
            <X size={14} aria-hidden />
          </IconButton>
        </div>
      ))}
      <NewName
        label={words.key}
        taken={Object.keys(members)}
        onAdd={(name) => onCommit({ ...members, [name]: blankOf(inner) })}
      />
    </Frame>
  );
}
