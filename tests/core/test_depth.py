"""Where LayerNorm stands, and what that does to gradients before any training; the two formulas of LayerNorm."""

import pytest
import torch

from transformer_core import make_model, padding_mask, record, target_mask
from transformer_core.experiments.depth import gradient_norms, use_default_init
from transformer_core.layer_norm import layer_norm_steps, torch_layer_norm_steps
from transformer_core.residual import stream_norms


def test_there_is_a_gradient_for_every_layer_of_both_stacks() -> None:
    norms = gradient_norms(3, norm_first=True, d_model=16, h=2)
    assert [len(stack) for stack in norms] == [3, 3]
    assert min(*norms.encoder, *norms.decoder) > 0


def test_the_same_seed_measures_the_same_and_leaves_the_global_stream_alone() -> None:
    before = torch.get_rng_state()
    assert gradient_norms(2, norm_first=False, d_model=8, h=2, seed=5) == gradient_norms(
        2, norm_first=False, d_model=8, h=2, seed=5
    )
    assert torch.equal(torch.get_rng_state(), before)
    assert gradient_norms(2, norm_first=False, d_model=8, h=2, seed=5) != gradient_norms(
        2, norm_first=False, d_model=8, h=2, seed=6
    )


@pytest.mark.parametrize("seed", range(3))
def test_in_a_deep_post_norm_decoder_the_gradient_fades_towards_the_input_and_in_pre_norm_it_does_not(
    seed: int,
) -> None:
    post = gradient_norms(10, norm_first=False, seed=seed).decoder
    pre = gradient_norms(10, norm_first=True, seed=seed).decoder
    assert post[0] < post[-1] / 5
    assert pre[0] > pre[-1]


def test_the_default_init_draws_linear_layers_from_one_over_the_root_of_their_inputs() -> None:
    model = make_model(7, 9, N=1, d_model=12, d_ff=50, h=3)
    before = {name: weight.clone() for name, weight in model.named_parameters()}
    use_default_init(model)
    for name, weight in model.named_parameters():
        if ".w_" in name and name.endswith("weight"):
            limit = weight.size(1) ** -0.5
            assert 0.9 * limit < float(weight.detach().abs().max()) <= limit
        elif ".lut." in name:
            assert torch.equal(weight, before[name])


def test_the_torch_formula_is_that_of_torch() -> None:
    x, weight, bias = torch.randn(2, 3, 7), torch.randn(7), torch.randn(7)
    expected = torch.nn.functional.layer_norm(x, (7,), weight, bias, 1e-5)
    torch.testing.assert_close(torch_layer_norm_steps(x, weight, bias).output, expected)


@pytest.mark.parametrize("n", [2, 5, 64])
def test_the_two_formulas_differ_by_the_root_of_n_minus_one_over_n(n: int) -> None:
    x, one, zero = 1000 * torch.randn(4, n, dtype=torch.float64), torch.ones(n), torch.zeros(n)
    ratio = layer_norm_steps(x, one, zero).output / torch_layer_norm_steps(x, one, zero).output
    torch.testing.assert_close(ratio, torch.full_like(ratio, ((n - 1) / n) ** 0.5), rtol=1e-4, atol=0)


def test_one_and_three_become_minus_and_plus_one_over_root_two() -> None:
    steps = layer_norm_steps(torch.tensor([1.0, 3.0]), torch.ones(2), torch.zeros(2))
    assert steps.output.tolist() == pytest.approx([-(0.5**0.5), 0.5**0.5], abs=1e-5)
    assert torch_layer_norm_steps(torch.tensor([1.0, 3.0]), torch.ones(2), torch.zeros(2)).output[1] == pytest.approx(
        1, abs=1e-4
    )


@pytest.mark.parametrize("norm_first", [True, False])
def test_the_stream_is_measured_after_every_sub_layer(norm_first: bool) -> None:
    model = make_model(7, 9, N=2, d_model=12, d_ff=20, h=3, norm_first=norm_first).eval()
    src, tgt = torch.tensor([[1, 5, 3, 2]]), torch.tensor([[1, 8, 4]])
    with torch.no_grad(), record(model) as trace:
        model(src, tgt, padding_mask(src), target_mask(tgt))
    encoder, decoder = stream_norms(trace, "encoder"), stream_norms(trace, "decoder")
    assert [len(encoder), len(decoder)] == [4, 6]
    assert encoder[1].path == "encoder.layers.0.sublayer.1"
    assert decoder[5].output.shape == (3,)
    x, branch = trace["encoder.layers.0.sublayer.1.input"], trace["encoder.layers.0.sublayer.1.branch"]
    torch.testing.assert_close(encoder[1].branch, branch[0].norm(dim=-1))
    if norm_first:
        torch.testing.assert_close(encoder[1].output, (x + branch)[0].norm(dim=-1))
    else:
        torch.testing.assert_close(encoder[1].output, torch.full((4,), 12**0.5), rtol=1e-3, atol=0)
