import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { SlidersHorizontal, X } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { read } from '../../../api/read.ts';
import { Button } from '../../../parts/button.tsx';
import { useCan, useSession } from '../../../shell/session.ts';
import { filters as words } from '../../../text/list/filters.ts';
import { day } from '../../../text/format.ts';
import { Choice, type Counts } from './filter-choice.tsx';
import { filterNames, type FilterName } from './filter-names.ts';
import { askedFilters, startOfDay } from './asked.ts';
import { facets, filterOf, type Known } from './filters.ts';

type Chosen = { readonly [Name in FilterName | 'query']?: string };
type Change = (name: FilterName | 'query', value: string | undefined) => void;

/** Names to choose from. They are asked for when somebody looks at filters, or has chosen one of them. */
function useKnown(isOpen: boolean, chosen: Chosen): Known {
  const { projects } = useSession();
  const canSeeKeys = useCan('keys:manage');
  const workflows = useQuery({
    ...read('workflows', 'list', { query: { limit: 100 } }),
    enabled: isOpen || chosen.workflow !== undefined,
  });
  const keys = useQuery({
    ...read('organization', 'keys', {}),
    enabled: canSeeKeys && (isOpen || chosen.key !== undefined),
  });
  return { projects, workflows: workflows.data?.workflows ?? [], keys: canSeeKeys ? keys.data?.keys : undefined };
}

/** Chosen filters, each with a button that removes it. */
function Chips({
  chosen,
  known,
  onChange,
}: {
  readonly chosen: Chosen;
  readonly known: Known;
  readonly onChange: Change;
}) {
  const wordsOf = (name: FilterName, value: string): string => {
    const { values } = filterOf(name);
    if (values === 'date') return startOfDay(value) === undefined ? value : day(`${value}T12:00:00`);
    if (values === 'given') return words.records(value);
    return (values === 'text' ? undefined : values(known).find(([one]) => one === value)?.[1]) ?? value;
  };
  const chips = [
    ...(chosen.query === undefined ? [] : [['query', words.names.query, chosen.query] as const]),
    ...filterNames.flatMap((name) => {
      const value = chosen[name];
      return value === undefined ? [] : [[name, filterOf(name).label, wordsOf(name, value)] as const];
    }),
  ];
  return chips.map(([name, label, value]) => (
    <button
      key={name}
      type="button"
      aria-label={words.remove(label, value)}
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

/** Counts of the open bar. A first page of one document brings them. */
function useCounts(isOpen: boolean, chosen: Chosen): Counts {
  const { data } = useQuery({
    ...read('documents', 'list', { query: { query: chosen.query, ...askedFilters(chosen), limit: 1, facets } }),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  });
  return data?.facets;
}

interface FilterBarProps {
  readonly chosen: Chosen;
  readonly onChange: Change;
  /** Number of matches and the like, at the end of the line. */
  readonly children?: ReactNode;
}

/** Filters of the list: chips for what is chosen, and a panel with a choice for each filter. */
export function FilterBar({ chosen, onChange, children }: FilterBarProps) {
  const [isOpen, setOpen] = useState(false);
  const known = useKnown(isOpen, chosen);
  const counts = useCounts(isOpen, chosen);
  const shown = filterNames.filter((name) => {
    const { values } = filterOf(name);
    if (values === 'given') return false;
    return (
      typeof values === 'string' || chosen[name] !== undefined || values(known).length > (name === 'project' ? 1 : 0)
    );
  });
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Button
          size="small"
          icon={<SlidersHorizontal size={14} aria-hidden />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {words.open}
        </Button>
        <Chips {...{ chosen, known, onChange }} />
        <div className="ms-auto flex flex-wrap items-center gap-3">{children}</div>
      </div>
      {isOpen && (
        <div className="grid grid-cols-2 gap-3 rounded-lg border border-line bg-panel p-3 md:grid-cols-4 lg:grid-cols-6">
          {shown.map((name) => (
            <Choice
              key={name}
              {...{ name, known, counts }}
              value={chosen[name] ?? ''}
              onChange={(value) => onChange(name, value)}
            />
          ))}
        </div>
      )}
    </div>
  );
}
