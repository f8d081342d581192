import { useQuery } from '@tanstack/react-query';
import { navigate } from '../router/navigate.ts';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { read } from '../api/read.ts';
import { useDebounced } from '../state/debounced.ts';
import { inputClass } from '../parts/input-class.ts';
import { shell } from '../text/shell.ts';
import { navItems } from './nav-items.ts';
import { Keys } from './keys.tsx';

interface Entry {
  readonly id: string;
  readonly words: string;
  readonly kind: string;
  readonly keys?: string;
  readonly go: () => void;
}

function useEntries(text: string): readonly Entry[] {
  const asked = useDebounced(text.trim(), 200);
  const found = useQuery({
    ...read('documents', 'list', { query: { query: asked, limit: 8 } }),
    enabled: asked.length > 1,
  });
  const isIn = (words: string): boolean => words.toLowerCase().includes(text.trim().toLowerCase());
  const pages = navItems
    .filter(({ words }) => isIn(words))
    .map(({ to, words, key }) => ({ id: to, words, kind: '', keys: `g ${key}`, go: () => navigate({ to }) }));
  const documents = (found.data?.documents ?? []).map((one) => ({
    id: one.id,
    words: one.title ?? one.filename ?? one.id,
    kind: shell.documents,
    go: () => navigate({ to: '/documents/$id', params: { id: one.id } }),
  }));
  return [...pages, ...documents];
}

/** Goes to any page or document by its name: a combobox in a dialog. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const entries = useEntries(text);
  const chosen = entries[Math.min(at, entries.length - 1)];
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const go = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    entry.go();
  };
  const onKey = (event: KeyboardEvent): void => {
    event.stopPropagation();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') go(chosen);
    if (step === undefined || entries.length === 0) return;
    event.preventDefault();
    setAt((Math.min(at, entries.length - 1) + step + entries.length) % entries.length);
  };
  return (
    <dialog
      ref={dialog}
      aria-label={shell.search}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
      className="mx-auto mt-[12dvh] w-[calc(100%-2rem)] max-w-xl rounded-lg border border-line bg-raised p-0 text-fg shadow-pop"
    >
      <div className="p-2">
        <input
          role="combobox"
          aria-expanded
          aria-controls={id}
          aria-activedescendant={chosen === undefined ? undefined : `${id}-${chosen.id}`}
          aria-label={shell.search}
          placeholder={shell.palettePlaceholder}
          className={`${inputClass} h-10`}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKey}
        />
      </div>
      <div role="listbox" id={id} aria-label={shell.search} className="max-h-[50dvh] overflow-y-auto px-2 pb-2">
        {entries.map((entry) => (
          <div
            key={entry.id}
            id={`${id}-${entry.id}`}
            role="option"
            aria-selected={entry === chosen}
            onClick={() => go(entry)}
            className="flex items-center gap-3 rounded-md px-2 py-1.5 hover:bg-hover aria-selected:bg-accent-soft"
          >
            <span className="min-w-0 flex-1 truncate" dir="auto">
              {entry.words}
            </span>
            <span className="text-xs text-muted">{entry.kind}</span>
            {entry.keys !== undefined && <Keys keys={entry.keys} />}
          </div>
        ))}
        {entries.length === 0 && <p className="px-2 py-3 text-muted">{shell.paletteEmpty}</p>}
      </div>
    </dialog>
  );
}
