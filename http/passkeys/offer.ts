import type { RelyingParty } from '#src/domain/access/relying-party.ts';
import { html, type Content, type Markup } from '#http/pages/html.ts';

/** A ceremony that a page offers. */
export interface Offer {
  readonly does: 'sign-in' | 'prove' | 'register';
  /** Path to open after it. */
  readonly next: string;
  readonly button: string;
}

/** Line that tells the failure of a ceremony. */
export const ceremonyProblem: Markup = html`<p class="error" role="alert" hidden></p>`;

/** A button for a ceremony, which the script shows where the browser and the address have passkeys. Without `party` there is none. */
export function passkeyOffer(party: RelyingParty | null, { does, next, button }: Offer, lead: Content = null): Content {
  if (party === null) return null;
  return html`<div data-passkey="${does}" data-origin="${party.origin}" data-next="${next}" hidden>
    ${lead} ${ceremonyProblem}
    <button type="button" class="quiet">${button}</button>
  </div>`;
}

/** Field of a page that runs the script. */
export const scriptFor = (party: RelyingParty | null): { readonly scriptOrigin?: string } =>
  party === null ? {} : { scriptOrigin: party.origin };
