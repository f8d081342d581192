const isMac = navigator.userAgent.includes('Mac');

/** Keys as they are printed on the keyboard. */
export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span className="inline-flex gap-1">
      {keys
        .replace('mod+', isMac ? '⌘ ' : 'Ctrl ')
        .replace('shift+', isMac ? '⇧ ' : 'Shift ')
        .split(' ')
        .map((key) => (
          <kbd key={key} className="rounded-sm border border-line bg-bg px-1.5 font-mono text-xs text-muted">
            {key}
          </kbd>
        ))}
    </span>
  );
}
