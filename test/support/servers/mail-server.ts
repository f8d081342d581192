import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly raw: string;
  /** First address of this service in the text. */
  readonly link: string;
  readonly token: string;
}

const decoded = (text: string): string =>
  text
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));

function mailOf(to: string, raw: string): ReceivedMail {
  const at = raw.indexOf('\r\n\r\n');
  const [head, body] = [raw.slice(0, at), raw.slice(at + 4)];
  const text = /quoted-printable/i.test(head) ? decoded(body) : body;
  const link = /https?:\/\/\S+/.exec(text)?.[0] ?? '';
  const token = /token=([\w-]+)/.exec(link)?.[1] ?? '';
  return { to, subject: /^Subject: (.*)$/m.exec(head)?.[1]?.trim() ?? '', text, raw, link, token };
}

/** A real mail server on this machine. `refuse`: reply code for each recipient, while set. */
export async function startMailServer() {
  const mails: ReceivedMail[] = [];
  const state: { refuse: number | null; tries: number; held: (() => void)[] | null } = {
    refuse: null,
    tries: 0,
    held: null,
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo(_address, _session, done) {
      state.tries += 1;
      if (state.refuse === null) done();
      else done(Object.assign(new Error('refused'), { responseCode: state.refuse }));
    },
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const finish = (): void => {
          const [recipient] = session.envelope.rcptTo;
          mails.push(mailOf(recipient?.address ?? '', Buffer.concat(parts).toString('utf8')));
          done();
        };
        if (state.held === null) finish();
        else state.held.push(finish);
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    state,
    mails,
    /** Keeps mails without a reply until `release`. */
    hold: () => void (state.held = []),
    release() {
      for (const finish of state.held ?? []) finish();
      state.held = null;
    },
    to: (address: string) => mails.filter(({ to }) => to === address),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(resolve);
      }),
  };
}
