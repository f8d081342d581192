import { SlidersHorizontal, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { SelectField, TextField } from '../../../parts/field.tsx';
import { useSession } from '../../../shell/session.ts';
import { documents as words } from '../../../text/documents.ts';
import { filterNames, type FilterName } from './filter-names.ts';
import { filterOf } from './filters.ts';

type Chosen = { readonly [Name in FilterName | 'query']?: string };
type Change = (name: FilterName | 'query', value: string | undefined) => void;

/** Chosen filters, each with a button that removes it. */
function Chips({ chosen, onChange }: { readonly chosen: Chosen; readonly onChange: Change }) {
  const session = useSession();
  const wordsOf = (name: FilterName, value: string): string => {
    const { values } = filterOf(name);
    return (typeof values === 'string' ? undefined : values(session).find(([one]) => one === value)?.[1]) ?? value;
  };
  const chips = [
    ...(chosen.query === undefined ? [] : [['query', words.filterNames.query, chosen.query] as const]),
    ...filterNames.flatMap((name) => {
      const value = chosen[name];
      return value === undefined ? [] : [[name, filterOf(name).label, wordsOf(name, value)] as const];
    }),
  ];
  return chips.map(([name, label, value]) => (
    <button
      key={name}
      type="button"
      aria-label={words.removeFilter(label, value)}
      onClick={() => onChange(name, undefined)}
      className="flex h-7 max-w-72 items-center gap-1.5 rounded-full bg-accent-soft ps-3 pe-2 text-xs text-accent hover:brightness-95"
    >
      <span className="truncate">
        {label}: <strong dir="auto">{value}</strong>
      </span>
      <X size={13} aria-hidden className="shrink-0" />
    </button>
  ));
}

/** Filters of the list: chips for what is chosen, and a panel with a choice for each filter. */
export function FilterBar({ chosen, onChange }: { readonly chosen: Chosen; readonly onChange: Change }) {
  const session = useSession();
  const [isOpen, setOpen] = useState(false);
  const shown = filterNames.filter((name) => {
    const { values } = filterOf(name);
    return typeof values === 'string' || values(session).length > 1;
  });
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2">
        {shown.length > 0 && (
          <Button
            size="small"
            icon={<SlidersHorizontal size={14} aria-hidden />}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {words.filters}
          </Button>
        )}
        <Chips {...{ chosen, onChange }} />
      </div>
      {isOpen && (
        <div className="grid gap-3 rounded-lg border border-line bg-panel p-3 sm:grid-cols-3 lg:grid-cols-5">
          {shown.map((name) => {
            const { label, values } = filterOf(name);
            const value = chosen[name] ?? '';
            const change = (next: string): void => onChange(name, next === '' ? undefined : next);
            return typeof values === 'string' ? (
              <TextField
                key={name}
                type={values}
                {...{ label, value }}
                onChange={(event) => change(event.currentTarget.value)}
              />
            ) : (
              <SelectField key={name} {...{ label, value }} onChange={(event) => change(event.currentTarget.value)}>
                <option value="">{words.any}</option>
                {values(session).map(([one, text]) => (
                  <option key={one} value={one}>
                    {text}
                  </option>
                ))}
              </SelectField>
            );
          })}
        </div>
      )}
    </div>
  );
}
