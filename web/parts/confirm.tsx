import { useState, type ReactNode } from 'react';
import { shell } from '../text/shell.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';

interface ConfirmProps {
  readonly title: string;
  readonly words: string;
  readonly action: string;
  /** Text to type first, where many things would go at once. */
  readonly typed?: string | undefined;
  /** Label of the box for that text. Default: the text. */
  readonly typedLabel?: string;
  readonly busy?: boolean;
  /** Choices below the words. */
  readonly children?: ReactNode;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be taken back. */
export function Confirm({ title, words, action, typed, typedLabel, busy = false, children, ...on }: ConfirmProps) {
  const { onConfirm, onClose } = on;
  const [text, setText] = useState('');
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{shell.cancel}</Button>
          <Button look="danger" busy={busy} disabled={typed !== undefined && text !== typed} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <div className="grid gap-3">
        <p>{words}</p>
        {children}
        {typed !== undefined && (
          <TextField
            label={typedLabel ?? typed}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autoComplete="off"
          />
        )}
      </div>
    </Dialog>
  );
}
