import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Fragment, useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import type { Reply } from '../../api/families.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextArea, TextField } from '../../parts/field.tsx';
import { Failure } from '../../parts/states.tsx';
import { toast } from '../../parts/toast.tsx';
import { useCan } from '../../shell/session.ts';
import { fieldName } from '../../text/field-name.ts';
import { reviews as words } from '../../text/runs.ts';

export type Question = NonNullable<Reply<'runs', 'get'>['waitingFor']>[number];
type Schema = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Fields of an object of plain values; null for every other schema, which is answered as JSON. */
function fieldsOf(schema: Schema | null): readonly (readonly [name: string, schema: Schema])[] | null {
  if (schema?.['type'] !== 'object') return null;
  const fields = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
  const isPlain = ([, one]: readonly [string, Schema]): boolean =>
    Array.isArray(one['enum']) || ['string', 'number', 'integer', 'boolean'].includes(String(one['type']));
  return fields.length > 0 && fields.every(isPlain) ? fields : null;
}

/** Proposal for a field: the question's data may hold a value of its name. */
function proposed(data: unknown, name: string): string {
  const value = typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[name] : undefined;
  return value === undefined || value === null ? '' : textOf(value);
}

function AnswerField({
  name,
  schema,
  initial,
}: {
  readonly name: string;
  readonly schema: Schema;
  readonly initial: string;
}) {
  const label = typeof schema['title'] === 'string' ? schema['title'] : name;
  const hint = typeof schema['description'] === 'string' ? schema['description'] : undefined;
  const options = Array.isArray(schema['enum'])
    ? schema['enum'].map(textOf)
    : schema['type'] === 'boolean'
      ? ['true', 'false']
      : null;
  if (options !== null)
    return (
      <SelectField name={name} label={label} hint={hint} defaultValue={initial} required>
        {!options.includes(initial) && (
          <option value="" disabled>
            {words.choose}
          </option>
        )}
        {options.map((option) => (
          <option key={option} value={option}>
            {option === 'true' ? words.yes : option === 'false' ? words.no : option}
          </option>
        ))}
      </SelectField>
    );
  const isNumber = schema['type'] === 'number' || schema['type'] === 'integer';
  return (
    <TextField name={name} label={label} hint={hint} defaultValue={initial} inputMode={isNumber ? 'decimal' : 'text'} />
  );
}

const isPlainValue = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** Values that the run shows with its question: by name where none of them is deeper, otherwise as JSON. */
function ShownData({ data }: { readonly data: unknown }) {
  const look = 'max-h-60 overflow-auto rounded-md bg-bg p-2.5';
  if (isPlainValue(data) || Array.isArray(data) || !Object.values(data as object).every(isPlainValue))
    return (
      <pre dir="auto" tabIndex={0} className={`${look} font-mono text-xs whitespace-pre-wrap`}>
        {JSON.stringify(data, null, 2)}
      </pre>
    );
  return (
    <dl tabIndex={0} className={`${look} grid grid-cols-[auto_1fr] gap-x-4 gap-y-1`}>
      {Object.entries(data as Record<string, unknown>).map(([name, value]) => (
        <Fragment key={name}>
          <dt className="text-muted" dir="auto">
            {fieldName(name)}
          </dt>
          <dd className="break-words" dir="auto">
            {value === null ? '–' : textOf(value)}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

function valueOf(schema: Schema, text: string): unknown {
  if (schema['type'] === 'boolean') return text === 'true';
  if (schema['type'] === 'number' || schema['type'] === 'integer') return text === '' ? undefined : Number(text);
  return text === '' ? undefined : text;
}

function answerOf(form: HTMLFormElement, schema: Schema | null): unknown {
  const given = new FormData(form);
  const text = (name: string): string => {
    const value = given.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const fields = fieldsOf(schema);
  if (fields !== null) return Object.fromEntries(fields.map(([name, one]) => [name, valueOf(one, text(name))]));
  const whole = text('answer');
  if (schema !== null && (Array.isArray(schema['enum']) || schema['type'] === 'string')) return whole;
  if (schema?.['type'] === 'boolean') return whole === 'true';
  return JSON.parse(whole) as unknown;
}

/** The question of a run, with a form that its answer schema describes. */
export function QuestionForm({
  runId,
  question,
  onDone,
}: {
  readonly runId: string;
  readonly question: Question;
  readonly onDone?: () => void;
}) {
  const client = useQueryClient();
  const canAnswer = useCan('runs:execute');
  const form = useRef<HTMLFormElement>(null);
  const [isWrong, setWrong] = useState(false);
  const { answerSchema: schema, data, promptText, path } = question;
  const fields = fieldsOf(schema);
  const answer = useMutation({
    mutationFn: (value: unknown) => call('runs', 'resume', { params: { id: runId }, body: { path, answer: value } }),
    onSuccess: () => {
      toast(words.answered);
      for (const family of ['runs', 'documents', 'records']) void client.invalidateQueries({ queryKey: [family] });
      onDone?.();
    },
  });
  const send = (): void => {
    if (form.current === null) return;
    try {
      setWrong(false);
      answer.mutate(answerOf(form.current, schema));
    } catch {
      setWrong(true);
    }
  };
  const isSimple =
    schema !== null && (Array.isArray(schema['enum']) || ['boolean', 'string'].includes(String(schema['type'])));
  return (
    <form
      ref={form}
      className="grid gap-3 rounded-lg border border-warn/50 bg-panel p-4"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <p className="font-medium whitespace-pre-wrap" dir="auto">
        {promptText}
      </p>
      {data !== null && data !== undefined && fields === null && <ShownData data={data} />}
      {fields?.map(([name, one]) => (
        <AnswerField key={name} name={name} schema={one} initial={proposed(data, name)} />
      ))}
      {fields === null && isSimple && (
        <AnswerField name="answer" schema={{ title: words.answer, ...schema }} initial="" />
      )}
      {fields === null && !isSimple && (
        <TextArea
          name="answer"
          label={words.json}
          defaultValue={data === undefined ? '' : JSON.stringify(data, null, 2)}
          error={isWrong ? words.wrongJson : undefined}
          className="font-mono text-xs"
          rows={8}
        />
      )}
      {answer.error !== null && <Failure error={answer.error} />}
      {canAnswer && (
        <Button type="submit" look="primary" busy={answer.isPending} className="justify-self-start">
          {words.send}
        </Button>
      )}
    </form>
  );
}
