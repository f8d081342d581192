import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from 'react';

export interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly count?: number | undefined;
}

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  /** Closer together, for narrow panels. */
  readonly isTight?: boolean;
  readonly children: ReactNode;
}

/** Tabs with their panel: arrow keys choose. The chosen one belongs into the address, so that Back and links work. */
export function Tabs<Name extends string>({
  label,
  tabs,
  chosen,
  onChoose,
  isTight = false,
  children,
}: TabsProps<Name>) {
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  // Narrow windows have no room for all of them.
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>(`[data-name="${chosen}"]`);
    const row = list.current;
    if (tab === null || tab === undefined || row === null) return;
    const end = tab.offsetLeft + tab.offsetWidth - row.offsetLeft;
    if (end > row.scrollLeft + row.clientWidth) row.scrollLeft = end - row.clientWidth;
    else if (tab.offsetLeft - row.offsetLeft < row.scrollLeft) row.scrollLeft = tab.offsetLeft - row.offsetLeft;
  }, [chosen]);
  const step = (event: KeyboardEvent): void => {
    const at = tabs.findIndex(({ name }) => name === chosen);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const tab = next === undefined ? undefined : tabs.at(next % tabs.length);
    if (tab === undefined) return;
    event.preventDefault();
    onChoose(tab.name);
    list.current?.querySelector<HTMLElement>(`[data-name="${tab.name}"]`)?.focus();
  };
  return (
    <div className="min-w-0">
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        onKeyDown={step}
        className={`flex overflow-x-auto border-b border-line ${isTight ? '' : 'gap-1'}`}
      >
        {tabs.map(({ name, label: words, count }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            data-name={name}
            aria-selected={name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
            className={`-mb-px flex items-center gap-1.5 border-b-2 border-transparent py-2 font-medium whitespace-nowrap text-muted hover:text-fg aria-selected:border-accent aria-selected:text-fg ${isTight ? 'px-2' : 'px-3'}`}
          >
            {words}
            {count !== undefined && <span className="rounded-full bg-hover px-1.5 text-xs text-muted">{count}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`} className="pt-3">
        {children}
      </div>
    </div>
  );
}
