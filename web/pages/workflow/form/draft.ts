import { useState } from 'react';

interface Draft {
  readonly text: string;
  readonly set: (text: string) => void;
  readonly isChanged: boolean;
}

/** Text that a person is writing. A newer stored text replaces it, unless they changed theirs: what was typed is never lost. */
export function useDraft(stored: string): Draft {
  const [text, set] = useState(stored);
  const [seen, setSeen] = useState(stored);
  if (stored !== seen) {
    setSeen(stored);
    if (text === seen) set(stored);
  }
  return { text, set, isChanged: text !== stored };
}
