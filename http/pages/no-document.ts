import type { DocumentMode, DocumentTrouble } from '#src/domain/access/oauth/document-support.ts';
import { html, type Markup } from '#http/pages/html.ts';
import type { Page } from '#http/pages/layout.ts';

/** A program whose description the server does not have. */
export interface NoDocument {
  readonly trouble: DocumentTrouble;
  /** Host that describes the program. */
  readonly host: string;
  readonly mode: DocumentMode;
}

const addAgain = 'remove this connection in the program and add it again, so that it registers itself here';

/** The reason, advice for the person, and advice for the operator. */
function wordsOf({ trouble, host, mode }: NoDocument): readonly [Markup, string, Markup] {
  if (trouble === 'off')
    return [
      html`The program that sent you here introduces itself by a document at <bdi>${host}</bdi>. This server accepts
        programs that register themselves here, and fetches no documents.`,
      `To connect it, ${addAgain}.`,
      html`OAUTH_CLIENT_METADATA=on or auto lets this server fetch such documents.`,
    ];
  const reason = html`<bdi>${host}</bdi>, which describes the program that sent you here, could not be reached from this
    server.`;
  if (mode === 'auto')
    return [
      reason,
      `Start again in the program: within the next hour it registers itself here instead. If you come to this page again, ${addAgain}.`,
      html`if this server has no way out to the internet, set OAUTH_CLIENT_METADATA=off. Else let it reach
      https://<bdi>${host}</bdi>.`,
    ];
  return [
    reason,
    'Try again later.',
    html`let this server reach https://<bdi>${host}</bdi>, or set OAUTH_CLIENT_METADATA=off, so that programs register
    themselves here instead.`,
  ];
}

/** Shown to a person whose program describes itself elsewhere, where the server may not or cannot look. Source: docs/decisions/0262. */
export function noDocumentPage(missing: NoDocument, requestId: string): Page {
  const [reason, advice, operator] = wordsOf(missing);
  const body = html`<div class="errors" role="alert"><p>${reason}</p></div>
    <p>${advice}</p>
    <p class="soft">For the operator: ${operator}</p>
    <p>Nothing in your account changed. <a href="/apps">Connected programs</a></p>
    <p class="soft">Request ${requestId}</p>`;
  return { title: 'This program cannot be connected', body, isWrong: true, status: 400 };
}
