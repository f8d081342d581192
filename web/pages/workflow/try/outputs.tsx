interface OutputsProps {
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** Channels with the values that a run or a node wrote. */
export function Outputs({ outputs }: OutputsProps) {
  return (
    <dl className="grid gap-2">
      {Object.entries(outputs).map(([name, value]) => (
        <div key={name}>
          <dt className="text-xs font-medium" dir="auto">
            {name}
          </dt>
          <dd>
            <pre
              className="max-h-60 overflow-auto rounded-md border border-line bg-bg p-2 font-mono text-xs whitespace-pre-wrap"
              dir="auto"
              tabIndex={0}
            >
              {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
            </pre>
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface QuestionsProps {
  readonly questions: readonly { readonly path: string; readonly promptText: string }[] | undefined;
}

/** Questions of review nodes, as people would see them. */
export function Questions({ questions }: QuestionsProps) {
  return questions?.map(({ path, promptText }) => (
    <p key={path} className="rounded-md bg-warn-soft px-2.5 py-1.5 text-warn" dir="auto">
      {promptText}
    </p>
  ));
}
