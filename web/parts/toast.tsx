import { useEffect, useRef } from 'react';
import { Problem } from '../api/problem.ts';
import { createStore, useStore } from '../state/store.ts';
import { shell } from '../text/shell.ts';
import { Button } from './button.tsx';

interface Toast {
  readonly id: string;
  readonly words: string;
  readonly isBad: boolean;
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

const toasts = createStore<readonly Toast[]>([]);
const visibleMs = 6_000;

const drop = (id: string): void => toasts.set((all) => all.filter((one) => one.id !== id));

/** Tells that something is done, with a way to take it back where there is one. */
export function toast(words: string, action?: Toast['action']): void {
  const id = crypto.randomUUID();
  toasts.set((all) => [...all.slice(-3), { id, words, isBad: false, action }]);
  setTimeout(() => drop(id), visibleMs);
}

/** Tells that something failed, in the server's words. It stays until it is closed. */
export function toastError(error: unknown): void {
  const words = error instanceof Problem ? error.message : String(error);
  toasts.set((all) => [...all.slice(-3), { id: crypto.randomUUID(), words, isBad: true }]);
}

/** The place of toasts, above everything, dialogs too. */
export function Toasts() {
  const shown = useStore(toasts);
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = region.current;
    if (element === null || shown.length === 0) return;
    // Shown again, it comes before a dialog that was opened meanwhile.
    if (element.matches(':popover-open')) element.hidePopover();
    element.showPopover();
  }, [shown]);
  return (
    <div
      ref={region}
      popover="manual"
      role="status"
      className="fixed inset-auto start-auto end-4 bottom-4 m-0 w-80 max-w-[calc(100vw-2rem)] border-0 bg-transparent p-0 max-md:bottom-18"
    >
      <div className="grid gap-2">
        {shown.map(({ id, words, isBad, action }) => (
          <div
            key={id}
            className={`flex items-start gap-3 rounded-lg border px-3 py-2.5 shadow-pop ${isBad ? 'border-bad/50 bg-bad-soft text-bad' : 'border-line bg-raised text-fg'}`}
          >
            <p className="min-w-0 flex-1">{words}</p>
            {action !== undefined && (
              <Button
                size="small"
                onClick={() => {
                  drop(id);
                  action.run();
                }}
              >
                {action.label}
              </Button>
            )}
            <Button size="small" look="plain" onClick={() => drop(id)}>
              {shell.close}
            </Button>
          </div>
        ))}
      </div>
    </div>
  );
}
