import { html, type Content, type Markup } from '#http/pages/html.ts';

/** A box with what it means beside it. */
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
