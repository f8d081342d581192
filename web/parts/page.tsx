import { useEffect, useRef, type ReactNode } from 'react';
import { shell } from '../text/shell.ts';

interface PageProps {
  readonly title: string;
  readonly actions?: ReactNode;
  /** The way back, above the title. */
  readonly trail?: ReactNode;
  /** A line below the title. */
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}

/** A page: its title is that of the window, and gets the focus when the page opens, so that screen readers begin there. */
export function Page({ title, actions, trail, lead, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    document.title = `${title} - ${shell.product}`;
  }, [title]);
  return (
    <div className="mx-auto w-full max-w-[96rem] px-4 pt-4 pb-10 md:px-6">
      {trail}
      <header className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h1 ref={heading} tabIndex={-1} dir="auto">
            {title}
          </h1>
          {lead !== undefined && <div className="text-muted">{lead}</div>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
