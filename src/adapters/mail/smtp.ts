import type { Letter } from '#src/domain/access/account-mail.ts';

export interface SmtpOptions {
  /** smtp:// or smtps://, with user and password if the server asks for them. */
  readonly url: string;
  /** Address, or name and address, of the sender. */
  readonly from: string;
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 10_000 };

/** A password crosses a network encrypted or not at all. */
function mustEncrypt(url: string): boolean {
  const { protocol, username, hostname } = new URL(url);
  return protocol === 'smtp:' && username !== '' && !loopback.test(hostname);
}

/** Sends one letter, within bounded time. The library is loaded on first use; the error of a failed send has `code` and `responseCode`. */
export function createSmtp({ url, from }: SmtpOptions): (letter: Letter) => Promise<void> {
  const open = async () => {
    const { createTransport } = await import('nodemailer');
    const safe = { disableFileAccess: true, disableUrlAccess: true };
    return createTransport({ url, ...timeouts, ...safe, ...(mustEncrypt(url) ? { requireTLS: true } : {}) });
  };
  let opening: ReturnType<typeof open> | null = null;
  return async ({ to, subject, text }) => {
    const transport = await (opening ??= open());
    // An object is not parsed: an address stays one address.
    await transport.sendMail({
      from,
      to: { name: '', address: to },
      subject,
      text,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  };
}
