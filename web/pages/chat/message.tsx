import { CircleAlert } from 'lucide-react';
import { useState } from 'react';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { chat as words } from '../../text/chat.ts';
import { AnswerText } from './answer-text.tsx';
import { SourceList, type Source } from './source-list.tsx';

export interface Shown {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly sources: readonly Source[];
  readonly certainty: 'sure' | 'likely' | 'unsure' | null;
  readonly unverifiedQuotes: readonly string[];
  readonly notice: 'model_failed' | 'model_broke_off' | null;
  readonly modelLabel: string | null;
}

const tones: Readonly<Record<'sure' | 'likely' | 'unsure', Tone>> = { sure: 'ok', likely: 'info', unsure: 'warn' };

/** One question, or one answer: its sources first, then what it says and how certain it is. */
export function Message({ message }: { readonly message: Shown }) {
  const [lit, light] = useState<number | null>(null);
  const { role, text, sources, certainty, unverifiedQuotes, notice, modelLabel } = message;
  if (role === 'user')
    return (
      <div className="ms-auto max-w-[85%] rounded-lg bg-accent-soft px-3.5 py-2.5 whitespace-pre-wrap" dir="auto">
        {text}
      </div>
    );
  return (
    <article className="grid gap-3">
      {sources.length > 0 && <SourceList sources={sources} lit={lit} />}
      {notice !== null && (
        <p className="flex items-center gap-2 text-warn">
          <CircleAlert size={15} aria-hidden />
          {words.notices[notice]}
        </p>
      )}
      <AnswerText text={text} onCite={light} />
      {unverifiedQuotes.map((quote) => (
        <p key={quote} className="text-xs text-warn" dir="auto">
          {words.unverified(quote)}
        </p>
      ))}
      <div className="flex flex-wrap items-center gap-2 text-xs text-muted">
        {certainty !== null && <Badge tone={tones[certainty]}>{words.certainty[certainty]}</Badge>}
        {modelLabel !== null && <span>{words.answeredBy(modelLabel)}</span>}
      </div>
    </article>
  );
}
