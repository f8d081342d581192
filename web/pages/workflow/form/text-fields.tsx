import { useRef, useState, type KeyboardEvent } from 'react';
import { TextArea, TextField } from '../../../parts/field.tsx';
import { workflows as words } from '../../../text/workflows.ts';
import { useDraft } from './draft.ts';

interface CommittedProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly placeholder?: string | undefined;
  /** Text as it is stored. */
  readonly stored: string;
  readonly isLong?: boolean;
  readonly isCode?: boolean;
  readonly isQuiet?: boolean;
  /** Reads the text, and saves it; a message means that it was refused. */
  readonly onCommit: (text: string) => string | undefined;
}

/** A text box that saves when a person leaves it, or presses Enter (Ctrl-Enter in several lines). */
export function Committed({ stored, isLong = false, isCode = false, onCommit, error, ...field }: CommittedProps) {
  const { text, set, isChanged } = useDraft(stored);
  const [refused, refuse] = useState<string>();
  const sent = useRef<string>(null);
  const commit = (isAsked: boolean): void => {
    // A refused text is sent again when the person asks for it, not because the dialog about it took the focus.
    if (!isChanged || (!isAsked && sent.current === text)) return;
    sent.current = text;
    refuse(onCommit(text));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (!isLong || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      commit(true);
    }
    if (event.key === 'Escape' && isChanged) {
      event.stopPropagation();
      set(stored);
      refuse(undefined);
    }
  };
  const shared = {
    ...field,
    error: refused ?? error,
    value: text,
    dir: 'auto',
    spellCheck: !isCode,
    autoComplete: 'off',
    className: isCode ? 'font-mono text-xs' : '',
    onBlur: () => commit(false),
    onKeyDown,
  };
  return isLong ? (
    <TextArea
      {...shared}
      rows={Math.min(12, Math.max(3, text.split('\n').length + Math.floor(text.length / 60)))}
      onChange={(event) => set(event.currentTarget.value)}
    />
  ) : (
    <TextField {...shared} onChange={(event) => set(event.currentTarget.value)} />
  );
}

/** A name to add to a list, such as the key of an entry. */
export function NewName({
  label,
  taken,
  onAdd,
}: {
  readonly label: string;
  readonly taken: readonly string[];
  readonly onAdd: (name: string) => void;
}) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const add = (): void => {
    const name = text.trim();
    if (name === '') return;
    if (taken.includes(name)) return setError(words.keyTaken);
    setError(undefined);
    setText('');
    onAdd(name);
  };
  return (
    <TextField
      label={label}
      isQuiet
      placeholder={label}
      value={text}
      error={error}
      autoComplete="off"
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={add}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        add();
      }}
    />
  );
}
