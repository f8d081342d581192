import { flood, senderFrom, type Sender, type Statuses } from '#scripts/siege/send.ts';
import type { Target } from '#scripts/siege/target.ts';

interface Shape {
  readonly name: string;
  readonly addresses: number;
  /** Requests at once. */
  readonly lanes: number;
  /** Account of the n-th guess. */
  readonly email: (turn: number) => string;
}

/** Wrong passwords from addresses of 127.0.1.0/24, which are all of this machine on Linux. */
function wrongPasswords({ name, addresses, lanes, email }: Shape) {
  return {
    name,
    async run({ api }: Target, signal: AbortSignal, statuses: Statuses): Promise<void> {
      using stack = new DisposableStack();
      const senders = Array.from({ length: addresses }, (_, at): Sender =>
        stack.use(senderFrom(`127.0.1.${at + 1}`, statuses)),
      );
      await flood(lanes, signal, async (turn) => {
        const body = JSON.stringify({ email: email(turn), password: `wrong password ${turn}` });
        const headers = { 'content-type': 'application/json' };
        await senders[turn % addresses]?.send({ method: 'POST', url: `${api}/api/auth/sign-in/email`, headers, body });
      });
    },
  };
}

const another = (turn: number): string => `person-${turn}@example.com`;

export const passwordAttacks = [
  wrongPasswords({
    name: 'wrong passwords of a stranger for many accounts, 10 at once',
    addresses: 1,
    lanes: 10,
    email: another,
  }),
  wrongPasswords({
    name: 'wrong passwords for many accounts from ten addresses, 100 at once',
    addresses: 10,
    lanes: 100,
    email: another,
  }),
  wrongPasswords({
    name: 'wrong passwords for many accounts from 200 addresses, 100 at once',
    addresses: 200,
    lanes: 100,
    email: another,
  }),
  wrongPasswords({
    name: 'wrong passwords for one account from 200 addresses, 100 at once',
    addresses: 200,
    lanes: 100,
    email: () => 'operator@example.com',
  }),
];
