"""convert_torch_test.py EXAMPLES LIBRARY [fault]: examples/convert_torch.py with the library and with torch alone must
leave the same bytes, on every device there is; with `fault` the reference forgets the last token, and must differ."""

import itertools
import pathlib
import sys

import torch

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import convert_torch as example  # noqa: E402

BY_LIBRARY = example.Converter(sys.argv[2], threads=2)
BY_TORCH = example.Converter("libpageproof_that_is_not_there.so")
if len(sys.argv) > 3:
    right = example.shuffled

    def forgetful(pages, x):
        pages = pages.clone()
        pages[:, :, -1] = 0
        return right(pages, x)

    example.shuffled = forgetful


def random_bytes(*shape, device):
    return torch.randint(0, 256, shape, dtype=torch.uint8, device=device)


def planes(kind, blocks, H, N, D, x, two_slot, device):
    """Views of one uint8 tensor, so that bytes outside every block are compared too."""
    e = 16 // x
    memory = random_bytes(2 * blocks * H * N * D * e, device=device)
    halves = memory.view(blocks, 2, -1).unbind(1) if two_slot else memory.view(2, blocks, -1).unbind(0)
    k, v = (half.view(kind) for half in halves)
    return memory, k.unflatten(1, (H, D // x, N, x)), v.unflatten(1, (H, N // x, D, x))


def main():
    devices = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
    cases = 0
    for device, (kind, x), H, N, D, two_slot, first, rewrite, to_pages, in_place in itertools.product(
        devices, [(torch.uint8, 16), (torch.bfloat16, 8)], [1, 3], [16, 32], [64, 128], *[[False, True]] * 5
    ):
        if rewrite and x != 16:
            continue
        blocks, count = 6, 4
        ids = torch.randperm(blocks, device=device)[:count].to(torch.int32 if cases % 2 else torch.int64)
        page_ids = torch.randperm(blocks + 1, device=device)[:count]
        results = []
        pages_before = random_bytes(blocks + 1, *((N, H) if first else (H, N)), 2 * D * 16 // x, device=device)
        memory, k, v = planes(kind, blocks, H, N, D, x, two_slot, device)
        before = memory.clone()
        for converter in (BY_LIBRARY, BY_TORCH):
            memory.copy_(before)
            pages = pages_before.clone()
            convert = converter.to_pages if to_pages else converter.to_planes
            convert(None if in_place else pages.view(kind), k, v, ids, page_ids, first, rewrite)
            results.append((memory.clone(), pages))
        case = f"{device} {kind} H={H} N={N} D={D} two_slot={two_slot} tokens_first={first} rewrite={rewrite} " \
               f"to_pages={to_pages} in_place={in_place}"
        assert BY_LIBRARY.used_library or device != "cpu", "the library was not used: " + case
        assert not BY_TORCH.used_library
        for name, ours, theirs in zip(("planes", "pages"), *results):
            assert torch.equal(ours, theirs), f"{name} differ: {case}"
        changed = not torch.equal(results[0][0], before) or not torch.equal(results[0][1], pages_before)
        assert changed, "nothing was converted: " + case
        cases += 1

    _, k, v = planes(torch.bfloat16, 2, 2, 16, 64, 8, False, "cpu")
    pages, ids = torch.zeros(2, 2, 16, 128, dtype=torch.bfloat16), torch.tensor([1, 0])
    refused = [
        ("listed twice", lambda: BY_LIBRARY.to_planes(None, k, v, torch.tensor([1, 1]))),
        ("pages has blocks of [16, 2, 128]", lambda: BY_LIBRARY.to_planes(pages.transpose(1, 2), k, v, ids)),
        ("v_plane has blocks of [2, 8, 16, 8]", lambda: BY_LIBRARY.to_planes(pages, k, k, ids)),
        ("pages is torch.int16", lambda: BY_LIBRARY.to_planes(pages.view(torch.int16), k, v, ids)),
    ]
    for words, convert in refused:
        try:
            convert()
        except ValueError as error:
            assert words in str(error), (words, error)
        else:
            raise AssertionError("not refused: " + words)
    print(f"{cases} cases: the library and torch leave the same bytes")


main()
