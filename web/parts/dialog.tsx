import { X } from 'lucide-react';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { shell } from '../text/shell.ts';
import { IconButton } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  readonly wide?: boolean;
}

/**
 * A modal dialog, shown while it is mounted. The element of the browser keeps the focus inside, closes on Escape and gives the focus
 * back; it needs no style element, which the content security policy would refuse.
 */
export function Dialog({ title, onClose, children, footer, wide = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog?.open === false) dialog.showModal();
    // The browser focuses the button that closes. People go on typing, so the first text field is better.
    dialog?.querySelector<HTMLElement>('[type=text],textarea')?.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
      className={`m-auto max-h-[90dvh] w-[calc(100%-2rem)] ${wide ? 'max-w-3xl' : 'max-w-md'} rounded-lg border border-line bg-raised p-0 text-fg shadow-pop`}
    >
      <div className="flex max-h-[90dvh] flex-col">
        <header className="flex items-center justify-between gap-4 border-b border-line px-4 py-2.5">
          <h2 id={heading}>{title}</h2>
          <IconButton label={shell.close} onClick={onClose}>
            <X size={16} aria-hidden />
          </IconButton>
        </header>
        <div className="overflow-y-auto px-4 py-4">{children}</div>
        {footer !== undefined && (
          <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-4 py-3">{footer}</footer>
        )}
      </div>
    </dialog>
  );
}
