import type { Reply } from '../../../api/families.ts';
import { SelectField, TextField } from '../../../parts/field.tsx';
import { filters as words } from '../../../text/list/filters.ts';
import type { FilterName } from './filter-names.ts';
import { filterOf, type Known } from './filters.ts';

export type Counts = Reply<'documents', 'list'>['facets'];

interface ChoiceProps {
  readonly name: FilterName;
  readonly value: string;
  readonly known: Known;
  readonly counts: Counts;
  readonly onChange: (value: string | undefined) => void;
}

/** One filter to set, with the number of documents for each value. */
export function Choice({ name, value, known, counts, onChange }: ChoiceProps) {
  const { label, values, facet } = filterOf(name);
  const change = (next: string): void => onChange(next === '' ? undefined : next);
  if (values === 'date')
    return <TextField type="date" {...{ label, value }} onChange={(event) => change(event.currentTarget.value)} />;
  if (typeof values === 'string')
    return (
      <TextField
        key={value}
        label={label}
        defaultValue={value}
        maxLength={50}
        onBlur={(event) => change(event.currentTarget.value.trim())}
        onKeyDown={(event) => event.key === 'Enter' && change(event.currentTarget.value.trim())}
      />
    );
  const counted = facet === undefined ? undefined : counts?.[facet];
  return (
    <SelectField {...{ label, value }} onChange={(event) => change(event.currentTarget.value)}>
      <option value="">{words.any}</option>
      {values(known).map(([one, text]) => {
        const found = counted?.values.find((other) => other.value === one);
        return (
          <option key={one} value={one}>
            {found === undefined ? text : words.counted(text, found.count, counted?.relation === 'gte')}
          </option>
        );
      })}
    </SelectField>
  );
}
