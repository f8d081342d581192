/** Classes of everything that text is typed into. */
export const control =
  'w-full rounded-md border border-line-strong/60 bg-panel px-2.5 text-fg aria-invalid:border-bad disabled:opacity-60';

/** Classes of a text box outside of a form, such as a search. */
export const inputClass = `${control} h-8`;
