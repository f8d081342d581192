import { useId, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Button, type ButtonLook } from './button.tsx';

export interface MenuItem {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly isChosen?: boolean;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  readonly onChoose: () => void;
}

interface MenuProps {
  /** Name for people who do not see the icon. */
  readonly label: string;
  readonly trigger: ReactNode;
  readonly items: readonly MenuItem[];
  readonly look?: ButtonLook;
  readonly className?: string;
}

const choosable = '[role^=menuitem]:not([aria-disabled=true])';

/** Puts a popover below its button, or above where there is no room. */
function place(popover: HTMLElement, button: HTMLElement): void {
  const from = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popover;
  const left = Math.max(8, Math.min(from.left, innerWidth - width - 8));
  const below = from.bottom + 4 + height <= innerHeight || from.top < height;
  popover.style.left = `${left}px`;
  popover.style.top = `${below ? from.bottom + 4 : from.top - height - 4}px`;
}

/** A button that opens a menu: arrow keys move, Enter chooses, Escape closes and gives the focus back. */
export function Menu({ label, trigger, items, look = 'usual', className = '' }: MenuProps) {
  const popover = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  // Order matters: the entries are there before the menu is measured.
  useLayoutEffect(() => {
    if (!isOpen || popover.current === null || button.current === null) return;
    place(popover.current, button.current);
    popover.current.querySelector<HTMLElement>(choosable)?.focus();
  }, [isOpen]);
  const move = (event: KeyboardEvent): void => {
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>(choosable)];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: (at - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    all[next]?.focus();
  };
  return (
    <>
      <Button
        ref={button}
        look={look}
        className={className}
        popoverTarget={id}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
      >
        {trigger}
      </Button>
      <div
        ref={popover}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={move}
        onToggle={(event) => setOpen(event.newState === 'open')}
        className="fixed m-0 max-h-[70dvh] min-w-44 overflow-y-auto rounded-lg border border-line bg-raised p-1 text-fg shadow-pop"
      >
        {isOpen &&
          items.map((item) => (
            <button
              key={item.label}
              type="button"
              role={item.isChosen === undefined ? 'menuitem' : 'menuitemradio'}
              aria-checked={item.isChosen}
              aria-disabled={item.isDisabled}
              tabIndex={-1}
              onClick={() => {
                if (item.isDisabled === true) return;
                popover.current?.hidePopover();
                button.current?.focus();
                item.onChoose();
              }}
              className={`flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-start focus:bg-hover hover:bg-hover aria-disabled:opacity-50 ${item.isDanger === true ? 'text-bad' : ''} ${item.isChosen === true ? 'font-semibold text-accent' : ''}`}
            >
              {item.icon}
              {item.label}
            </button>
          ))}
      </div>
    </>
  );
}
