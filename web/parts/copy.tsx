import { Check, Copy as CopyIcon } from 'lucide-react';
import { useState } from 'react';
import { announce } from '../state/announce.ts';
import { shell } from '../text/shell.ts';
import { Button } from './button.tsx';

/** Copies a text, and says that it did. */
export function Copy({ text, label = shell.copy }: { readonly text: string; readonly label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    announce(shell.copied);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <Button
      size="small"
      icon={isCopied ? <Check size={14} aria-hidden /> : <CopyIcon size={14} aria-hidden />}
      onClick={() => void copy()}
    >
      {isCopied ? shell.copied : label}
    </Button>
  );
}
