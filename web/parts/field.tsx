import { useId, type ComponentProps, type ReactNode } from 'react';
import { control, inputClass } from './input-class.ts';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  /** Hides the label from sight, where the place says it. */
  readonly isQuiet?: boolean;
}

interface Wiring {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

function Labelled({
  label,
  hint,
  error,
  isQuiet,
  children,
}: FieldProps & { readonly children: (wiring: Wiring) => ReactNode }) {
  const id = useId();
  const has = [hint === undefined ? [] : [`${id}-hint`], error === undefined ? [] : [`${id}-error`]].flat();
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className={isQuiet === true ? 'sr-only' : 'font-medium'}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': has.length === 0 ? undefined : has.join(' '),
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="text-xs font-medium text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

type Native<Tag extends 'input' | 'select' | 'textarea'> = Omit<ComponentProps<Tag>, 'id'>;

/** A text box with its label, hint and error. */
export function TextField({ label, hint, error, isQuiet, className, ...native }: FieldProps & Native<'input'>) {
  return (
    <Labelled {...{ label, hint, error, isQuiet: isQuiet ?? false }}>
      {(wiring) => <input type="text" {...native} {...wiring} className={`${inputClass} ${className ?? ''}`} />}
    </Labelled>
  );
}

/** A text box of several lines. */
export function TextArea({ label, hint, error, isQuiet, className, ...native }: FieldProps & Native<'textarea'>) {
  return (
    <Labelled {...{ label, hint, error, isQuiet: isQuiet ?? false }}>
      {(wiring) => <textarea rows={4} {...native} {...wiring} className={`${control} py-1.5 ${className ?? ''}`} />}
    </Labelled>
  );
}

/** A choice of one. */
export function SelectField({
  label,
  hint,
  error,
  isQuiet,
  className,
  children,
  ...native
}: FieldProps & Native<'select'>) {
  return (
    <Labelled {...{ label, hint, error, isQuiet: isQuiet ?? false }}>
      {(wiring) => (
        <select {...native} {...wiring} className={`${inputClass} ${className ?? ''}`}>
          {children}
        </select>
      )}
    </Labelled>
  );
}

/** A box to tick. */
export function CheckField({ label, hint, ...native }: Omit<FieldProps, 'error' | 'isQuiet'> & Native<'input'>) {
  const id = useId();
  return (
    <div className="flex gap-2">
      <input {...native} id={id} type="checkbox" className="mt-0.5 size-4 shrink-0 accent-accent" />
      <label htmlFor={id}>
        {label}
        {hint !== undefined && <span className="block text-xs text-muted">{hint}</span>}
      </label>
    </div>
  );
}
