// Renews the progress bars that move, every two seconds, until none does.
(() => {
  "use strict";
  const EVERY = 2000;

  const renew = async () => {
    const moving = [...document.querySelectorAll("[data-progress][data-moving]")];
    if (!moving.length) return;
    const byAddress = new Map();
    for (const bar of moving) {
      const address = bar.dataset.address || location.pathname.replace(/[0-9a-f]{24}\/change\/$/, "") + "progress/";
      byAddress.set(address, [...(byAddress.get(address) || []), bar]);
    }
    for (const [address, bars] of byAddress) {
      const answer = await fetch(`${address}?ids=${bars.map((bar) => bar.dataset.progress).join(",")}`);
      if (!answer.ok) continue;
      const fresh = await answer.json();
      for (const bar of bars) {
        const html = fresh[bar.dataset.progress];
        if (html) bar.outerHTML = html;
      }
    }
  };

  const loop = async () => {
    if (!document.hidden) await renew().catch(() => {});
    setTimeout(loop, EVERY);
  };
  setTimeout(loop, EVERY);
})();
