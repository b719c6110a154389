/* Keeps the amounts of a quote's lines and its totals current, rounded half up as the server does. */
const NUMBER = /^(-?)(\d*)(?:[.,](\d*))?$/;

function scaled(text, places) {
  const match = NUMBER.exec(text.trim());
  if (!match) return 0n;
  const digits = (match[3] ?? "").padEnd(places, "0").slice(0, places);
  const value = BigInt(`${match[2] || 0}${digits}`);
  return match[1] ? -value : value;
}

function halfUp(value, divisor) {
  const size = value < 0n ? -value : value;
  const rounded = (size * 2n + divisor) / (divisor * 2n);
  return value < 0n ? -rounded : rounded;
}

function field(row, name) {
  return row.querySelector(`[name="line-${name}"]`).value;
}

function count(form) {
  const currency = form.elements.currency.value.trim().toUpperCase();
  let format;
  try {
    format = new Intl.NumberFormat(document.documentElement.lang, { style: "currency", currency });
  } catch {
    return;
  }
  const places = format.resolvedOptions().maximumFractionDigits;
  const write = (minor) => format.format(Number(minor) / 10 ** places);
  const bases = new Map();
  let net = 0n;
  for (const row of form.querySelectorAll(".quote-edit li")) {
    // Thousandths, ten-thousandths, and hundredths of a percent.
    const product = scaled(field(row, "quantity") || "1", 3) * scaled(field(row, "unitPrice"), 4);
    const share = 10000n - scaled(field(row, "discount"), 2);
    const amount = halfUp(product * share, 10n ** BigInt(11 - places));
    const rate = scaled(field(row, "tax"), 2);
    bases.set(rate, (bases.get(rate) ?? 0n) + amount);
    net += amount;
    row.querySelector("[data-line]").textContent = write(amount);
  }
  const totals = form.querySelector("[data-totals]");
  const rows = [...totals.querySelectorAll("div")];
  for (const row of rows) if (!row.querySelector("[data-net], [data-total]")) row.remove();
  let total = net;
  const last = totals.querySelector("[data-total]").parentElement;
  for (const [rate, base] of [...bases].sort(([first], [second]) => Number(first - second))) {
    if (!rate) continue;
    const tax = halfUp(base * rate, 10000n);
    total += tax;
    const row = document.createElement("div");
    const name = document.createElement("dt");
    const sum = document.createElement("dd");
    name.textContent = `${totals.dataset.tax} ${Number(rate) / 100}%`;
    sum.textContent = write(tax);
    row.append(name, sum);
    last.before(row);
  }
  totals.querySelector("[data-net]").textContent = write(net);
  totals.querySelector("[data-total]").textContent = write(total);
}

document.addEventListener("input", ({ target }) => {
  if (target.form?.id === "quote") count(target.form);
});
