import { AlignJustify, LayoutGrid, Rows2, Square, StretchHorizontal, type LucideIcon } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { IconButton } from '../../../parts/button.tsx';
import { inputClass } from '../../../parts/input-class.ts';
import { useShortcuts } from '../../../shell/shortcuts.ts';
import { density } from '../../../shell/theme.ts';
import { useStore } from '../../../state/store.ts';
import { documents as words } from '../../../text/documents.ts';
import { views, type DocumentsView } from '../search.ts';

const icons: Readonly<Record<DocumentsView, LucideIcon>> = { grid: LayoutGrid, list: AlignJustify, large: Square };

/** The search: Enter asks, `/` comes here. */
function SearchBox({ query, onSearch }: { readonly query: string; readonly onSearch: (text: string) => void }) {
  const box = useRef<HTMLInputElement>(null);
  useShortcuts(useMemo(() => [{ keys: '/', words: words.search, run: () => box.current?.focus() }], []));
  return (
    <search className="min-w-0 flex-1">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const text = new FormData(event.currentTarget).get('query');
          onSearch(typeof text === 'string' ? text.trim() : '');
        }}
      >
        <input
          ref={box}
          key={query}
          type="search"
          name="query"
          aria-label={words.search}
          placeholder={words.searchPlaceholder}
          defaultValue={query}
          className={`${inputClass} max-w-xl`}
        />
      </form>
    </search>
  );
}

interface ListToolsProps {
  readonly query: string;
  readonly onSearch: (text: string) => void;
  readonly view: DocumentsView;
  readonly onView: (view: DocumentsView) => void;
}

/** Search, view and density of the list. */
export function ListTools({ query, onSearch, view, onView }: ListToolsProps) {
  const isCompact = useStore(density) === 'compact';
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchBox {...{ query, onSearch }} />
      <div role="group" aria-label={words.view} className="flex items-center">
        {views.map((one) => {
          const Icon = icons[one];
          return (
            <IconButton
              key={one}
              label={words.views[one]}
              aria-pressed={one === view}
              onClick={() => onView(one)}
              className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
            >
              <Icon size={16} aria-hidden />
            </IconButton>
          );
        })}
        <IconButton
          label={isCompact ? words.density.compact : words.density.comfortable}
          onClick={() => density.set(isCompact ? 'comfortable' : 'compact')}
        >
          {isCompact ? <StretchHorizontal size={16} aria-hidden /> : <Rows2 size={16} aria-hidden />}
        </IconButton>
      </div>
    </div>
  );
}
