import type { FieldError } from '#src/domain/app-error.ts';
import { html, type Content, type Markup } from '#http/pages/html.ts';

export interface Field {
  /** Name in the form, and id on the page. */
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'email' | 'password';
  readonly autocomplete: string;
  readonly hint?: string;
  readonly maxLength: number;
}

/** Values that were submitted, and their errors. */
export interface Entry {
  readonly values: Readonly<Record<string, string>>;
  readonly errors: readonly FieldError[];
  /** An error of the form as a whole. */
  readonly problem: string | null;
}

export const untouched: Entry = { values: {}, errors: [], problem: null };

const errorsOf = ({ errors }: Entry, name: string): string[] =>
  errors.filter(({ pointer }) => pointer === `/${name}`).map(({ message }) => message);

/** A labelled input, with its error described by `aria-describedby`. A password is never sent back. */
export function fieldOf(field: Field, entry: Entry): Markup {
  const { name, label, type, autocomplete, hint, maxLength } = field;
  const [error] = errorsOf(entry, name);
  const described = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`].filter(Boolean);
  const value = type === 'password' ? undefined : entry.values[name];
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
    ${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      autocomplete="${autocomplete}"
      maxlength="${maxLength}"
      required
      ${value !== undefined && html`value="${value}"`}
      ${described.length > 0 && html`aria-describedby="${described.join(' ')}"`}
      ${error !== undefined && html`aria-invalid="true"`}
    />
  </div>`;
}

/** A summary of all errors, at the top and focused. Each line links to its field. */
export function summaryOf(entry: Entry, fields: readonly Pick<Field, 'name' | 'label'>[]): Content {
  const lines = fields.flatMap(({ name, label }) =>
    errorsOf(entry, name).map((message) => html`<li><a href="#${name}">${label}: ${message}</a></li>`),
  );
  if (lines.length === 0 && entry.problem === null) return null;
  return html`<div class="errors" role="alert" tabindex="-1" autofocus aria-labelledby="errors-title">
    <h2 id="errors-title">There is a problem</h2>
    ${entry.problem !== null && html`<p>${entry.problem}</p>`}
    ${
      lines.length > 0 &&
      html`<ul>
        ${lines}
      </ul>`
    }
  </div>`;
}

/** A checkbox or radio button with its label. */
export function box(line: {
  readonly name: string;
  readonly value: string;
  readonly isChecked: boolean;
  readonly isOff?: boolean;
  readonly type?: 'checkbox' | 'radio';
  readonly label: Content;
}): Markup {
  const { name, value, isChecked, isOff = false, type = 'checkbox', label } = line;
  return html`<label class="box">
    <input
      type="${type}"
      name="${name}"
      value="${value}"
      ${isChecked && html`checked`}
      ${isOff && html`disabled`}
    /><span>${label}</span>
  </label>`;
}
