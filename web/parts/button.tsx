import type { ComponentProps, ReactNode } from 'react';

const looks = {
  primary: 'bg-accent text-on-accent border-accent hover:brightness-110',
  usual: 'bg-panel text-fg border-line-strong/50 hover:bg-hover',
  plain: 'bg-transparent text-fg border-transparent hover:bg-hover',
  danger: 'bg-panel text-bad border-bad/60 hover:bg-bad-soft',
};

const base =
  'inline-flex items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap select-none disabled:opacity-50 disabled:pointer-events-none';
const sizes = { small: 'h-7 px-2 text-xs', usual: 'h-8 px-3', large: 'h-10 px-4' };
const squares = { small: 'size-7', usual: 'size-8', large: 'size-10' };

export type ButtonLook = keyof typeof looks;

/** Classes of a button, for links that look like one. */
export const buttonClass = (look: ButtonLook = 'usual', size: keyof typeof sizes = 'usual'): string =>
  `${base} ${looks[look]} ${sizes[size]}`;

type ButtonProps = ComponentProps<'button'> & {
  readonly look?: ButtonLook;
  readonly size?: keyof typeof sizes;
  readonly icon?: ReactNode;
  /** True while what it began is under way: it cannot be pressed twice, and says so. */
  readonly busy?: boolean;
};

export function Button({
  look = 'usual',
  size = 'usual',
  icon,
  busy = false,
  children,
  className,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled === true || busy}
      aria-busy={busy || undefined}
      className={`${buttonClass(look, size)} ${className ?? ''}`}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  );
}

/** A button of an icon alone: `label` is what it does. */
export function IconButton({ label, children, ...rest }: Omit<ButtonProps, 'icon'> & { readonly label: string }) {
  const { look = 'plain', size = 'usual', busy: _, className, ...native } = rest;
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...native}
      className={`${base} ${looks[look]} ${squares[size]} ${className ?? ''}`}
    >
      {children}
    </button>
  );
}

export function Spinner() {
  return (
    <span
      aria-hidden
      className="inline-block size-3.5 animate-spin rounded-full border-2 border-current border-e-transparent"
    />
  );
}
