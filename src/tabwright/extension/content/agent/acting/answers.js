/**
 * What others still owe the page since an action: the network, and those it talks to by sockets and workers. An answer that is
 * there may still have to be read, may come in pieces, and may be shown by another way than the one it came.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** How long a page may take to read an answer. */
  const READ_MS = 250;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const network = parts.get('network');
    const talks = parts.get('talks');

    /** @type {import('./acting').Answers['since']} */
    const since = ({ watch: { seen }, since: begun, said, endings }, patience, changedAt) => {
      /** When the first piece of an answer was there. */
      let answered = 0;
      let unreadAt = 0;
      const endedAt = () => (network.endedAt() > begun ? network.endedAt() : 0);

      /** @param {number} heardAt @param {number} now */
      const isInPieces = (heardAt, now) => {
        if (heardAt === 0) return false;
        answered ||= heardAt;
        const mayGoOn = now - heardAt < patience.pieces && now - answered < patience.restless;
        return mayGoOn || (now - heardAt < patience.push && seen.wordsAt < answered);
      };

      /** What a request caused may come by another way than its answer. @param {number} now */
      const isUnshown = (now) => endedAt() > 0 && seen.changedAt < endedAt() && now - endedAt() < patience.push;

      /** On a busy machine a page reads an answer later than it is told that it is there. @param {number} now */
      const isUnread = (now) => {
        const mayBe = endedAt() > 0 && changedAt() < endedAt() && now - endedAt() < READ_MS;
        if (!mayBe || network.isRead(begun, endings)) return false;
        unreadAt = now;
        return true;
      };

      return {
        lastAt: () => Math.max(unreadAt, endedAt()),
        look(now, isPatient) {
          const { isAwaited, heardAt, hasLine, streams } = talks.since(said);
          const isPending = network.pending() > streams;
          const isDue = isPending || (isAwaited && isPatient) || isInPieces(heardAt, now) || (hasLine && isUnshown(now)) || isUnread(now);
          return { isPending, isDue };
        },
      };
    };

    return { since };
  };

  agent.part('answers', make);
})();
